#: title: multiprocessing.Lock and cpu_count (no process)
#: breaks: POSIX semaphore in /dev/shm (open, link, unlink); tqdm and joblib do it at import
#: check: no-block
#: status: ok
#: wall_time: 30s
import multiprocessing as mp
l = mp.Lock()
with l: print(mp.cpu_count() >= 1)
