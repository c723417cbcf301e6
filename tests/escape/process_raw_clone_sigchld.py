#: title: raw clone(SIGCHLD)
#: breaks: clone without CLONE_THREAD is a process
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(56, 17, 0, 0, 0, 0)
print("ESCAPED syscall 56" if r > 0 else f"refused errno={ctypes.get_errno()}")
