#: title: pty.spawn
#: breaks: reverse-shell idiom
#: severity: high
#: check: flag
#: status: exception
#: exception: OSError
#: control: ESCAPED
import pty
pty.spawn(["/bin/sh", "-c", "echo ESCAPED"])
