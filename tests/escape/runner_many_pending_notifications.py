#: title: many threads with pending notifications
#: breaks: notifier fd with several waiters; killed tasks make NOTIF_SEND fail with ENOENT, which must not be fatal
#: severity: high
#: arch: x86_64
#: status: timeout
#: violation: network deny
#: wall_time: 500ms
import ctypes, threading
S = ctypes.CDLL(None).syscall
for _ in range(16): threading.Thread(target=lambda: [S(41, 2, 1, 0) for _ in iter(int, 1)], daemon=True).start()
import time
time.sleep(10)
