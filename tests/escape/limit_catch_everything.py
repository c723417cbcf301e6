#: title: catch KeyboardInterrupt, SystemExit and everything
#: breaks: a soft interrupt must escalate
#: severity: high
#: check: flag
#: status: timeout
#: wall_time: 500ms
while True:
    try:
        while True: pass
    except BaseException: continue
