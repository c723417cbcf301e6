#: title: O_PATH and magic-link reopen of a read-only fd as writable
#: breaks: re-opening through /proc bypasses the fd's access mode
#: severity: high
#: status: ok
import os
fd = os.open(os.__file__, os.O_RDONLY)
try: w = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY); print("ESCAPED", w)
except OSError as e: print(type(e).__name__, e.errno)
p = os.open("/", os.O_PATH)
try: print("ESCAPED", os.open("../../../../etc/shadow", os.O_RDONLY, dir_fd=p))
except OSError as e: print(type(e).__name__, e.errno)
