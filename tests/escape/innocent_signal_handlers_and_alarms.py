#: title: signal handlers, alarm and time-outs inside the program
#: breaks: own alarms are legal
#: check: no-block
#: status: ok
#: wall_time: 30s
import signal, time
signal.signal(signal.SIGALRM, lambda *a: (_ for _ in ()).throw(TimeoutError()))
signal.setitimer(signal.ITIMER_REAL, 0.05)
try: time.sleep(1)
except TimeoutError: print("ok")
