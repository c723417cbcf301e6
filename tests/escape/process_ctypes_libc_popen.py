#: title: ctypes libc.popen
#: breaks: same
#: severity: critical
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import ctypes
L = ctypes.CDLL(None); L.popen.restype = ctypes.c_void_p
print("ESCAPED" if L.popen(b"id", b"r") else "refused")
