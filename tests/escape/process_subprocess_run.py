#: title: subprocess.run
#: breaks: the common AI idiom
#: severity: high
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import subprocess
print("ESCAPED", subprocess.run(["/bin/true"]).returncode)
