#: title: race the interrupt: second thread keeps attacking after the first refusal
#: breaks: interrupt means every thread is dead within a bounded time (harness: 100 ms after the event)
#: severity: high
#: status: violation
#: violation: process interrupt
#: artifacts: any
import threading, os, time
def a():
    while True:
        try: os.system("touch ESCAPED")
        except OSError: pass
def b():
    while True:
        try: open("late.txt", "a").write(str(time.time()) + "\n")
        except OSError: pass
for f in (a, b, b): threading.Thread(target=f, daemon=True).start()
time.sleep(30)
