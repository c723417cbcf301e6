#: environment: base
import ctypes

libc = ctypes.CDLL(None)
print("first", flush=True)
libc.printf(b"second %d\n", 2)
libc.fflush(None)
print("third")
