#: title: kernel module load
#: breaks: module load
#: severity: critical
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(313, 0, b"", 0)
print("ESCAPED syscall 313" if r == 0 else f"refused errno={ctypes.get_errno()}")
