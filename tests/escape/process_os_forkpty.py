#: title: os.forkpty
#: breaks: also opens /dev/ptmx
#: severity: high
#: check: flag
#: status: exception
#: exception: FileNotFoundError
#: control: ESCAPED
import os
print("ESCAPED", os.forkpty())
