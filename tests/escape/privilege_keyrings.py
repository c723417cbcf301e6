#: title: keyrings
#: breaks: keyrings are per-uid, not per-namespace: data passes between runs (isolate forbids keyctl for this)
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
print("ESCAPED" if S(250, 0, -3, 0) > 0 else ctypes.get_errno())
print("ESCAPED" if S(248, b"user", b"x", b"y", 1, -4) > 0 else ctypes.get_errno())
