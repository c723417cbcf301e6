#: title: thread pool and queues
#: breaks: clone3 refused with ENOSYS, then clone: glibc falls back
#: check: no-block
#: status: ok
#: wall_time: 30s
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as e: print(sum(e.map(lambda x: x * x, range(1000))))
