#: title: os.posix_spawn
#: breaks: glibc >= 2.41 spawns with clone3(CLONE_VM|CLONE_VFORK|CLONE_CLEAR_SIGHAND): measured on Debian 13
#: severity: high
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import os, sys
print("ESCAPED", os.posix_spawn(sys.executable or "/bin/true", ["x", "-c", "1"], {}))
