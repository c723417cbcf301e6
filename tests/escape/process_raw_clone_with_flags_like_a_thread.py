#: title: raw clone with thread-looking flags but no CLONE_THREAD
#: breaks: CLONE_VM|FS|FILES shares memory but escapes the thread group, its limits and pid reporting
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: process interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(56, 0x100 | 0x200 | 0x400 | 17, 0, 0, 0, 0)
print("ESCAPED syscall 56" if r >= 0 else f"refused errno={ctypes.get_errno()}")
