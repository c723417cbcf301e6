#: title: setuid(0) family
#: breaks: the run's uid is unprivileged and unmapped; dify-sandbox leaves these syscalls allowed after its filter
#: severity: high
#: check: flag
#: status: violation
#: violation: privilege interrupt
import os
for f in (lambda: os.setuid(0), lambda: os.seteuid(0), lambda: os.setreuid(0, 0), lambda: os.setresuid(0, 0, 0), lambda: os.setgid(0), lambda: os.setgroups([0])):
    try: f(); print("ESCAPED" if os.geteuid() == 0 else "no-op", os.getuid())
    except OSError as e: print(e.errno)
