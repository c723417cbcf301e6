#: title: perf_event_open
#: breaks: kernel bugs and side channels
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
a = (ctypes.c_uint32 * 32)(1, 128)
r = S(298, ctypes.byref(a), 0, -1, -1, 0); print("ESCAPED" if r >= 0 else ctypes.get_errno())
