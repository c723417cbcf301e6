#: title: hunt the heap for the runner's objects
#: breaks: the zygote's heap is inherited: no token, no other tenant's code or data in it
#: severity: critical
#: status: ok
import gc, io, socket
for o in gc.get_objects():
    if isinstance(o, (io.IOBase, socket.socket)):
        try: print(type(o).__name__, o.fileno(), getattr(o, "name", ""))
        except Exception: pass
for o in gc.get_objects():
    if isinstance(o, bytes) and b"CANARY" in o or isinstance(o, str) and "CANARY" + "_TOKEN" in o: print("ESCAPED secret in heap")
