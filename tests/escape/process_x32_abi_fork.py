#: title: x32 ABI fork
#: breaks: bit-30 numbers: frontier models found this bypass in filters that check only x86_64 numbers
#: severity: critical
#: arch: x86_64
#: status: crashed
#: signal: 31
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(0x40000000 + 57)
print("ESCAPED syscall 0x40000000 + 57" if r > 0 else f"refused errno={ctypes.get_errno()}")
