#: title: raw clone3
#: breaks: flags live in memory, so BPF cannot filter clone3: answer ENOSYS (38) and glibc falls back to clone (verified)
#: severity: high
#: arch: x86_64
#: status: ok
#: prints: refused errno=38
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long

args = (ctypes.c_uint64 * 11)(0x00004000 | 0x100, 0, 0, 0, 17)
r = S(435, ctypes.byref(args), 88)
print("ESCAPED" if r > 0 else f"refused errno={ctypes.get_errno()}")
