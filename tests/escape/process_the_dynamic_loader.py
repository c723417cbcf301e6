#: title: run the dynamic loader directly
#: breaks: ld.so runs files from noexec mounts' readers; execve must be refused whatever the path
#: severity: high
#: status: violation
#: violation: process interrupt
#: control: EXECPY_CANARY=
import os, glob
for ld in glob.glob("/lib*/ld-linux*") + glob.glob("/lib/*/ld-linux*"):
    os.execv(ld, [ld, "/usr/bin/env"])
print("no loader found")
