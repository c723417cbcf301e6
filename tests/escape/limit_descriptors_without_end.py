#: title: file descriptor exhaustion
#: breaks: RLIMIT_NOFILE; host-wide file-max must not move
#: severity: medium
#: status: ok
import os
n = 0
try:
    while True: os.dup(1); n += 1
except OSError as e: print("stopped at", n, e.errno)
