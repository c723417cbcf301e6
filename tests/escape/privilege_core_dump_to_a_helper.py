#: title: core dump piped to a host helper
#: breaks: core_pattern is global: RLIMIT_CORE hard 0 and dumpable 0, or the host's crash handler runs as root on attacker data
#: severity: high
#: status: ok
#: differs: a guest is process 1 of its namespace: a signal without a handler does nothing to it
import os, signal, resource
try: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
except (OSError, ValueError) as e: print(type(e).__name__)
os.kill(os.getpid(), signal.SIGSEGV)
