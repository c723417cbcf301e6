#: title: System V shared memory and semaphores
#: breaks: outlives the process; ipc namespace must die with the run
#: severity: medium
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
print("ESCAPED" if S(29, 0, 1 << 30, 0o1600) >= 0 else ctypes.get_errno())
print("ESCAPED" if S(64, 0, 100, 0o1600) >= 0 else ctypes.get_errno())
print("ESCAPED" if S(68, 0, 0o1600) >= 0 else ctypes.get_errno())
