#: title: sleep for ever
#: breaks: uses no CPU: a CPU limit alone never fires
#: severity: high
#: check: flag
#: status: timeout
#: wall_time: 500ms
import time
time.sleep(10 ** 8)
