#: title: write another process's memory file
#: breaks: same by file
#: severity: critical
#: status: ok
import os
for p in {1, os.getppid()}:
    try: f = open(f"/proc/{p}/mem", "r+b", 0); print("ESCAPED", p)
    except OSError as e: print(e.errno)
