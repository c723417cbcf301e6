#: title: POSIX message queues
#: breaks: mqueue bytes are per-uid
#: severity: medium
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
a = (ctypes.c_long * 8)(0, 10, 8192, 0)
print("ESCAPED" if S(240, b"x", 0o102, 0o600, ctypes.byref(a)) >= 0 else ctypes.get_errno())
