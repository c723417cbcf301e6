#: title: leaked directory fd + openat ..
#: breaks: same class as fs-009, active form
#: severity: critical
#: status: ok
import os
for fd in range(3, 1024):
    for rel in ("../../../../../../etc/shadow", "..", "etc/passwd"):
        try: f = os.open(rel, os.O_RDONLY, dir_fd=fd)
        except OSError: continue
        print("ESCAPED via fd", fd, rel)
