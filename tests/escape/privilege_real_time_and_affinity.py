#: title: real-time scheduling, nice -20, ioprio, affinity
#: breaks: priority games; 'allowed fifo' or 'allowed nice' is a failure
#: severity: medium
#: arch: x86_64
#: status: ok
#: control: allowed aff
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
import os
for n, f in (("fifo", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))), ("nice", lambda: os.setpriority(0, 0, -20)), ("aff", lambda: os.sched_setaffinity(0, set(range(os.cpu_count() or 1))))):
    try: f(); print("allowed", n)
    except OSError as e: print(n, e.errno)
print("ioprio", S(251, 1, 0, 1 << 13), ctypes.get_errno())
