#: title: environment changes meant for the next run
#: breaks: session state stays in the session; the wrapper reads nothing from it
#: severity: medium
#: status: ok
import os
os.environ.update(LD_PRELOAD="./evil.so", PYTHONPATH="/work", PYTHONSTARTUP="/mnt/data/x.py", HOME="/mnt/data/..", TMPDIR="/proc", LANG="xx", TZ="../../../etc/passwd")
print("set")
