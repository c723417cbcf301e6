#: title: TIOCSTI and TIOCLINUX, with and without high bits
#: breaks: CVE-2017-5226 (bubblewrap/Flatpak) and its bypass CVE-2019-10063; ioctl must be an allowlist of six values
#: severity: critical
#: arch: x86_64
#: status: ok
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long

c = ctypes.c_char(b"x")
for req in (0x5412, 0x541C, 0x5412 | 1 << 32, 0x541C | 1 << 32):
    r = S(16, 0, ctypes.c_ulong(req), ctypes.byref(c)); print(hex(req), "ESCAPED" if r == 0 else ctypes.get_errno())
