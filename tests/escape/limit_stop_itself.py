#: title: stop itself
#: breaks: a stopped task uses no CPU and ignores SIGTERM; wait4 without WUNTRACED never returns
#: severity: high
#: status: violation
#: violation: process interrupt
import os, signal
print("before", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
