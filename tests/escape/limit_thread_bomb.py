#: title: thread bomb
#: breaks: threads count in pids.max
#: severity: high
#: check: flag
#: status: ok
import threading, time
n = 0
try:
    while n < 100000: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start(); n += 1
except RuntimeError as e: print("stopped at", n)
