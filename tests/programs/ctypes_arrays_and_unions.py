#: environment: base
import ctypes
import sys


class Bits(ctypes.Union):
    _fields_ = [("number", ctypes.c_float), ("raw", ctypes.c_uint32)]


bits = Bits(number=1.0)
values = (ctypes.c_int16 * 4)(1, -2, 3, 70000)
print(hex(bits.raw), list(values), ctypes.sizeof(values), ctypes.sizeof(ctypes.c_void_p))
buffer = ctypes.create_string_buffer(b"hello", 16)
ctypes.memset(buffer, ord("x"), 2)
print(buffer.value, ctypes.addressof(values) != 0, sys.byteorder)
pointer = ctypes.pointer(ctypes.c_int(5))
pointer.contents.value += 1
print(pointer[0], ctypes.string_at(b"abc", 2))
