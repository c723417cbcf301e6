#: title: PTRACE_TRACEME
#: breaks: lets a parent trace; also stops the process
#: severity: medium
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(101, 0, 0, 0, 0)
print("ESCAPED syscall 101" if r == 0 else f"refused errno={ctypes.get_errno()}")
