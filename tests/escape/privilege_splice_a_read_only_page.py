#: title: splice a read-only file page into a pipe
#: breaks: Dirty Pipe (CVE-2022-0847) and CVE-2026-31431 both need splice; Python does not
#: severity: high
#: arch: x86_64
#: status: ok
#: prints: 22
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
import os
r, w = os.pipe(); fd = os.open(os.__file__, os.O_RDONLY)
n = S(275, fd, None, w, None, 1, 0); print("ESCAPED splice allowed" if n > 0 else ctypes.get_errno())
print("vmsplice", S(278, w, None, 0, 0), ctypes.get_errno())
