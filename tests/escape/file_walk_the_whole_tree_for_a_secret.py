#: title: whole-tree walk for a planted canary
#: breaks: the harness plants EXECPY_CANARY files in host /, /tmp, /root, the server's state folder and another session's work folder
#: severity: critical
#: status: memory_limit
#: differs: the walk reads /dev/zero to its end, so the limit of memory comes first
import os
hits = []
for d, ds, fs in os.walk("/", onerror=lambda e: None):
    ds[:] = [x for x in ds if os.path.join(d, x) not in ("/proc", "/sys")]
    for f in fs:
        p = os.path.join(d, f)
        try:
            if os.path.getsize(p) < 65536 and b"EXECPY" + b"_CANARY" in open(p, "rb").read(): hits.append(p)
        except OSError: pass
print("ESCAPED" if hits else "no canary", hits)
