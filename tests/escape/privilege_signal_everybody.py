#: title: signal every process in reach
#: breaks: only the own pid may be signalled; harness allows no 'reachable' line except a documented pid 1
#: severity: high
#: status: violation
#: violation: process interrupt
import os, signal
for p in [1, -1, 0, os.getppid()] + list(range(2, 50)):
    if p == os.getpid(): continue
    try: os.kill(p, 0); print("reachable", p)
    except OSError: pass
print("done")
