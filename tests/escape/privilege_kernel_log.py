#: title: kernel log
#: breaks: leaks kernel addresses and other tenants' events
#: severity: medium
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(103, 3, ctypes.create_string_buffer(4096), 4096)
print("ESCAPED syscall 103" if r > 0 else f"refused errno={ctypes.get_errno()}")
