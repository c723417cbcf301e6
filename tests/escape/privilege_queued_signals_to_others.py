#: title: tgkill, tkill and queued signals to others
#: breaks: all signal syscalls, not only kill
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: process interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
for nr, a in ((234, (1, 1, 9)), (200, (1, 9)), (129, (1, 9, None)), (297, (1, 1, 9, None)), (424, (0, 9, None, 0))):
    r = S(nr, *a); print(nr, "ESCAPED" if r == 0 else ctypes.get_errno())
