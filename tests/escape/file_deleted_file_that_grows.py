#: title: file kept open and deleted, then grown
#: breaks: space held by unlinked files must count and be freed at the end
#: severity: medium
#: status: ok
import os
f = open("gone", "wb"); os.unlink("gone")
n = 0
try:
    while n < 4096: f.write(b"x" * (1 << 20)); n += 1
except OSError as e: print(n, e.errno)
