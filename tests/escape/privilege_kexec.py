#: title: kexec
#: breaks: kexec
#: severity: critical
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(246, 0, 0, None, 0)
print("ESCAPED syscall 246" if r == 0 else f"refused errno={ctypes.get_errno()}")
