#: title: other sessions' work folders
#: breaks: two sessions run at once; the other one holds a file named EXECPY_CANARY
#: severity: critical
#: status: ok
import os, glob
seen = []
for base in ("/work", "/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/sandbox", "/box", "/mnt", ".."):
    for p in glob.glob(base + "/**/*", recursive=True)[:5000]: seen.append(p)
hit = [p for p in seen if "EXECPY_CANARY" in p]
print("ESCAPED" if hit else "alone", hit, len(seen))
