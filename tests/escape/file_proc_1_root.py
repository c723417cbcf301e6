#: title: /proc/1/root host traversal
#: breaks: magic links of other processes lead out of the mount namespace when pids leak
#: severity: critical
#: status: exception
#: exception: FileNotFoundError
import os
print("ESCAPED", os.listdir("/proc/1/root/etc"))
