#: title: connect by io_uring instead of syscalls
#: breaks: IORING_OP_SOCKET/CONNECT bypass socket() filters
#: severity: critical
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
r = S(425, 2, ctypes.byref((ctypes.c_uint32 * 30)()))
print("ESCAPED syscall 425" if r >= 0 else f"refused errno={ctypes.get_errno()}")
