#: title: async exception into the wrapper
#: breaks: daemon threads fire while the wrapper formats the result
#: severity: medium
#: status: exited | ok | timeout | exception
#: wall_time: 500ms
import ctypes, threading
main = threading.main_thread().ident
def late():
    import time
    for _ in range(10 ** 6): ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(SystemExit))
threading.Thread(target=late, daemon=True).start()
print("main done")
