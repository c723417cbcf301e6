#: title: greenlet, ctypes callback and C-stack tricks to hide the frame
#: breaks: W^X makes ctypes callbacks fail on some builds: the error must be clear; with them allowed the report still finds a line
#: severity: low
#: status: violation
#: violation: process interrupt
#: control: : x: not found
import ctypes, os
CB = ctypes.CFUNCTYPE(None)
def inner(): os.system("x")
try: CB(inner)()
except (MemoryError, OSError) as e: print(type(e).__name__)
