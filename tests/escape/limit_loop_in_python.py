#: title: CPU spin in Python
#: breaks: plain infinite loop
#: severity: high
#: check: flag
#: status: timeout
#: wall_time: 500ms
while True: pass
