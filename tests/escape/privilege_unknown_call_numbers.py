#: title: unknown and future syscall numbers
#: breaks: default deny must also cover numbers that do not exist yet (ENOSYS); measured on 6.18: uretprobe/uprobe (335, 336) are exempt from seccomp and answer a stray call with SIGILL
#: severity: high
#: arch: x86_64
#: status: crashed | ok
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
import sys
for nr in list(range(335, 424)) + list(range(462, 600)) + [2**31 - 1]:
    r = S(ctypes.c_long(nr))
    if r != -1: print("ESCAPED", nr, r)
print("all refused")
