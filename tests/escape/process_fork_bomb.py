#: title: fork bomb
#: breaks: first fork must already end the run; pids.max is the second wall
#: severity: critical
#: check: flag
#: status: violation
#: violation: process interrupt
import os
while True:
    try: os.fork()
    except OSError: pass
