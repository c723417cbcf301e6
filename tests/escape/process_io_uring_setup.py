#: title: io_uring setup
#: breaks: io_uring operations are not seen by seccomp: it can open, connect and create sockets
#: severity: critical
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long

p = (ctypes.c_uint32 * 30)()
r = S(425, 4, ctypes.byref(p)); print("ESCAPED" if r >= 0 else f"refused errno={ctypes.get_errno()}")
