#: title: block all signals in all threads
#: breaks: masking does not stop SIGKILL
#: severity: medium
#: status: timeout
#: wall_time: 500ms
import signal, threading, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
for _ in range(4): threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
time.sleep(10 ** 6)
