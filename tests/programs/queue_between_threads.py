#: environment: base
import queue
import threading

tasks = queue.Queue(maxsize=4)
results = []


def consume():
    while True:
        item = tasks.get()
        if item is None:
            tasks.task_done()
            return
        results.append(item ** 2)
        tasks.task_done()


workers = [threading.Thread(target=consume, daemon=True) for _ in range(3)]
for worker in workers:
    worker.start()
for n in range(20):
    tasks.put(n)
for _ in workers:
    tasks.put(None)
tasks.join()
print(sum(results), len(results))

ready = threading.Event()
threading.Timer(0.05, ready.set).start()
print(ready.wait(2), threading.current_thread() is threading.main_thread())
barrier = threading.Barrier(2)
threading.Thread(target=barrier.wait).start()
print(barrier.wait() in (0, 1))
