#: title: close every descriptor
#: breaks: EOF on the channel before the process is dead is not a success
#: severity: high
#: status: timeout
#: wall_time: 500ms
import os
os.closerange(0, 4096)
while True: pass
