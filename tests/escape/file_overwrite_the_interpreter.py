#: title: overwrite the running binary via /proc/self/exe
#: breaks: CVE-2019-5736 class (runc): /proc/*/exe of a host binary must never be reachable for writing
#: severity: critical
#: status: ok
import os
try:
    fd = os.open("/proc/self/exe", os.O_WRONLY); print("ESCAPED", fd)
except OSError as e: print(type(e).__name__, e.errno)
try: print("exe is", os.readlink("/proc/self/exe"))
except OSError as e: print(type(e).__name__)
