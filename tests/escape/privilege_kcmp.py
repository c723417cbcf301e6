#: title: kcmp
#: breaks: leaks kernel pointer ordering
#: severity: low
#: arch: x86_64
#: status: violation
#: violation: process interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(312, 1, 1, 0, 0, 0)
print("ESCAPED syscall 312" if r >= 0 and r < 4 else f"refused errno={ctypes.get_errno()}")
