#: title: output flood
#: breaks: the pipe reader must keep draining or kill; memory of the host bounded
#: severity: high
#: check: flag
#: status: timeout
#: differs: output beyond the limit is counted and left out; the program goes on until its time is up
#: wall_time: 500ms
while True: print("x" * 1000)
