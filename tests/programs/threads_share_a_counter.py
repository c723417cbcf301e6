#: environment: base
import threading

total, lock = 0, threading.Lock()

def work():
    global total
    for _ in range(1000):
        with lock:
            total += 1

threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(total, threading.active_count())
