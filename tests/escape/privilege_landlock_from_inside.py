#: title: landlock domain introspection and further restriction
#: breaks: adding layers is legal but useless; 16 layers is the kernel maximum
#: severity: info
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
print("abi", S(444, None, 0, 1), ctypes.get_errno())
