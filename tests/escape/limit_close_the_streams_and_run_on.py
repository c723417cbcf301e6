#: title: close stdout then run on
#: breaks: EOF on the pipe is not the end of the run
#: severity: high
#: status: timeout
#: wall_time: 500ms
import os, time
os.close(1); os.close(2)
while True: time.sleep(1)
