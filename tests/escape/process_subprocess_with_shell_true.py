#: title: subprocess with shell=True
#: breaks: same, by shell
#: severity: high
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import subprocess
print("ESCAPED", subprocess.check_output("id", shell=True))
