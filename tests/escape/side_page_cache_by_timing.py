#: title: page-cache residency by timing
#: breaks: which library pages other tenants touched; mincore() is refused; named, not prevented
#: severity: info
#: status: ok
import os, time
t = time.perf_counter_ns()
fd = os.open(os.__file__, 0); os.pread(fd, 4096, 0)
print(time.perf_counter_ns() - t)
