#: environment: base
#: status: exited
#: exit_code: 3
import sys

print("before")
sys.exit(3)
