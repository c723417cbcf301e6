#: title: pidfd_open and pidfd_getfd
#: breaks: steals the supervisor's descriptors
#: severity: critical
#: arch: x86_64
#: status: violation
#: violation: process interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
for p in {1, os.getppid()}:
    fd = S(434, p, 0)
    if fd >= 0:
        for n in range(64):
            r = S(438, fd, n, 0)
            if r >= 0: print("ESCAPED stole fd", n)
    print(p, fd, ctypes.get_errno())
