#: title: kill pid 1, the zygote, the whole group
#: breaks: the next run of another tenant must still start
#: severity: critical
#: status: violation
#: violation: process interrupt
import os, signal
for p in (1, os.getppid(), 0, -1):
    try: os.kill(p, signal.SIGKILL); print("ESCAPED sent to", p)
    except OSError as e: print(e.errno)
