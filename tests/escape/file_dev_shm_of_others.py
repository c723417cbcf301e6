#: title: /dev/shm is private to the run
#: breaks: run twice in two tenants: isolate 2.6 (2026) fixed exactly this, /dev/shm shared between sandboxes by a recursive bind
#: severity: high
#: status: ok
#: prints: fresh
import os
p = "/dev/shm/execpy_probe"
try:
    print("ESCAPED shared /dev/shm" if os.path.exists(p) else "fresh")
    open(p, "w").write("x")
except OSError as e: print(type(e).__name__)
