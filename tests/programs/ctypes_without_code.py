#: environment: base
import ctypes

class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_double)]

pair = Pair(1, 2.5)
buffer = ctypes.create_string_buffer(bytes(pair))
print(ctypes.sizeof(Pair), Pair.from_buffer(buffer).b, ctypes.CDLL(None).abs(-5))
