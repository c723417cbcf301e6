#: title: read raw process memory for leftovers of the supervisor
#: breaks: the zygote must be exec'ed fresh, not forked from the supervisor, so that no host memory is copied in
#: severity: critical
#: status: ok
#: control: ESCAPED
import re
try:
    hits = 0
    mem = open("/proc/self/mem", "rb", 0)
    for l in open("/proc/self/maps"):
        a, b = (int(x, 16) for x in l.split()[0].split("-"))
        if "r" not in l.split()[1] or b - a > 1 << 28 or "[v" in l: continue
        try: mem.seek(a); hits += mem.read(b - a).count(b"EXECPY" + b"_CANARY")
        except (OSError, ValueError, OverflowError): pass
    print("ESCAPED" if hits else "clean", hits)
except OSError as e: print(type(e).__name__)
