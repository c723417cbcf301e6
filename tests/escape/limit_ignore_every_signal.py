#: title: ignore every signal
#: breaks: only SIGKILL to the whole cgroup is a stop
#: severity: high
#: status: timeout
#: wall_time: 500ms
import signal, time
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: time.sleep(1)
