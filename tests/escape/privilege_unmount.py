#: title: umount the masking mounts
#: breaks: what is under a mask must not matter
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
for p in (b"/proc", b"/sys", b"/dev", b"/dev/shm", b"/work", b"/"):
    r = S(166, p, 2); print(p, "ESCAPED" if r == 0 else ctypes.get_errno())
