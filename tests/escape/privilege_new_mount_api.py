#: title: new mount API
#: breaks: CVE-2022-0185 was in fsconfig
#: severity: critical
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
fd = S(430, b"tmpfs", 0); print("ESCAPED" if fd >= 0 else ctypes.get_errno())
fd = S(428, -100, b"/", 1); print("ESCAPED" if fd >= 0 else ctypes.get_errno())
