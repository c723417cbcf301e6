#: title: os.execv replaces the process
#: breaks: a fresh interpreter has no hooks and no limits set from inside Python
#: severity: critical
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import os, sys
os.execv(sys.executable, ["python", "-c", "print('ESCAPED')"])
