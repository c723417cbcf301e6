#: title: write outside the work folder
#: breaks: only the work folder (and a private /tmp, /dev/shm) may be writable; harness compares WROTE lines with the documented list
#: severity: high
#: status: ok
import os
for p in ("/x", "/tmp/x", "/usr/x", "/etc/x", "/lib/x", "/dev/x", "/proc/x", "/sys/x", "/var/x", "/run/x", "/home/x", os.__file__ + ".x"):
    try: open(p, "w").close(); print("WROTE", p)
    except OSError as e: print(type(e).__name__, p)
