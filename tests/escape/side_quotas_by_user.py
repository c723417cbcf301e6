#: title: per-uid kernel quotas shared by sandboxes
#: breaks: RLIMIT_NPROC, pending signals, pipe pages, inotify, keys are counted per real uid: give each sandbox its own uid
#: severity: medium
#: status: ok
import threading, time
n = 0
try:
    for _ in range(500): threading.Thread(target=time.sleep, args=(2,), daemon=True).start(); n += 1
except RuntimeError: pass
print(n)
