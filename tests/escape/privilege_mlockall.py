#: title: mlock and huge locked memory
#: breaks: mlockall past RLIMIT_MEMLOCK pins host memory
#: severity: medium
#: arch: x86_64
#: status: ok
#: prints: 1
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
print("ESCAPED" if S(151, 3) == 0 else ctypes.get_errno())
