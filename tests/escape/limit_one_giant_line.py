#: title: one giant line
#: breaks: line-buffered collectors grow without end
#: severity: high
#: status: timeout
#: differs: output beyond the limit is counted and left out; the program goes on until its time is up
#: wall_time: 500ms
import sys
while True: sys.stdout.write("A" * (1 << 20))
