#: title: faulthandler and signal handlers stolen
#: breaks: if the Python line is fetched by a signal handler it can be silenced: report 'line unknown', still interrupt
#: severity: medium
#: status: violation
#: violation: process interrupt
#: control: : x: not found
import faulthandler, signal
faulthandler.disable()
for s in range(1, 65):
    try: signal.signal(s, lambda *a: None); faulthandler.unregister(s)
    except Exception: pass
import os
os.system("x")
