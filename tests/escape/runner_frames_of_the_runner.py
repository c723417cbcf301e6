#: title: walk the stack to the runner's frames
#: breaks: nothing secret or trusted may live in the guest's process; found names must be harmless
#: severity: high
#: status: ok
import sys
f = sys._getframe(); n = 0
while f:
    for scope in (f.f_globals, f.f_locals):
        for k in list(scope):
            if any(w in k.lower() for w in ("result", "status", "channel", "sock", "fd", "conn", "secret", "token", "key")): print("found", f.f_code.co_name, k)
    f = f.f_back; n += 1
print("frames", n)
