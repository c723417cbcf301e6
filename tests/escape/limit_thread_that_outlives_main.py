#: title: non-daemon thread outlives main
#: breaks: same
#: severity: high
#: status: timeout
#: wall_time: 500ms
import threading, time
threading.Thread(target=lambda: [time.sleep(1) for _ in iter(int, 1)]).start()
print("main done")
