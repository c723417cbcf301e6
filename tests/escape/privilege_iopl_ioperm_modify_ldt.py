#: title: iopl, ioperm, modify_ldt
#: breaks: hardware access and LDT bugs
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
print("ESCAPED" if S(172, 3) == 0 else ctypes.get_errno())
print("ESCAPED" if S(173, 0, 8, 1) == 0 else ctypes.get_errno())
b = ctypes.create_string_buffer(64)
print("ESCAPED" if S(154, 0, b, 64) >= 0 else ctypes.get_errno())
