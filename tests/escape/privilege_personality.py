#: title: personality: ADDR_NO_RANDOMIZE and READ_IMPLIES_EXEC
#: breaks: turns W^X and ASLR off
#: severity: medium
#: arch: x86_64
#: status: ok
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(135, 0x0440000); print("ESCAPED" if r >= 0 else ctypes.get_errno())
