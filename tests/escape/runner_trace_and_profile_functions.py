#: title: trace and profile functions
#: breaks: the wrapper's own functions run under the guest's tracer; the monitor must not rely on sys.settrace
#: severity: medium
#: status: exited
#: exit_code: 0
import sys, threading
sys.settrace(lambda f, e, a: (_ for _ in ()).throw(SystemExit(0)))
threading.settrace(lambda *a: None)
def g(): return 1
g()
print("unreachable")
