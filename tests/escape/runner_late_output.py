#: title: late output attributed to the next run
#: breaks: cross-run output injection within a session
#: severity: high
#: status: ok
import threading, time, os
threading.Timer(1.5, lambda: os.write(1, b"INJECTED INTO NEXT RUN\n")).start()
print("run one done")
