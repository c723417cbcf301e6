#: environment: base
import threading, time

def late():
    time.sleep(0.2)
    print("late but there")

threading.Thread(target=late).start()
print("main is done")
