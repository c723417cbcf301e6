#: title: host activity meters
#: breaks: a full /proc is a cross-tenant activity meter; sysinfo(2) still gives load and memory: documented
#: severity: low
#: status: ok
#: prints: /proc/loadavg 2
#: control: /proc/stat cpu
import os
for p in ("/proc/loadavg", "/proc/stat", "/proc/meminfo", "/proc/uptime", "/proc/vmstat", "/proc/interrupts", "/proc/pressure/cpu", "/proc/diskstats"):
    try: print(p, open(p).read(60).replace("\n", " "))
    except OSError as e: print(p, e.errno)
try: print(os.getloadavg())
except OSError as e: print(e.errno)
