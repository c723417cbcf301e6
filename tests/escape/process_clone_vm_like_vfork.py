#: title: process_vm / shared pages child: CLONE_VM vfork then exec by thread
#: breaks: posix_spawn's old flags
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: process interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(56, 0x4100 | 17, 0, 0, 0, 0)
print("ESCAPED syscall 56" if r > 0 else f"refused errno={ctypes.get_errno()}")
