#: title: ctypes for plain C calls
#: breaks: ctypes itself is not an attack
#: check: no-block
#: status: ok
#: wall_time: 30s
import ctypes
print(ctypes.CDLL(None).abs(-3))
