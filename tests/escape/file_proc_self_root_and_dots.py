#: title: /proc/self/root/.. and /proc/self/cwd/../../ tricks
#: breaks: path spelling must not matter; also a test that reports normalise paths
#: severity: critical
#: status: ok
import os
for p in ("/proc/self/root/../../../../../etc/shadow", "/proc/self/cwd/../../../../etc/shadow", "/proc/thread-self/root/etc/shadow", "/../../etc/shadow", "//etc//shadow", "/./etc/./shadow"):
    try: print("ESCAPED", p, open(p).read()[:20])
    except OSError as e: print(type(e).__name__, p)
