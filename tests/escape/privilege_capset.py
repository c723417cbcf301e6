#: title: capset
#: breaks: raise capabilities
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
h = (ctypes.c_uint32 * 2)(0x20080522, 0); d = (ctypes.c_uint32 * 6)(*[0xffffffff] * 6)
r = S(126, ctypes.byref(h), ctypes.byref(d)); print("ESCAPED" if r == 0 else ctypes.get_errno())
