#: title: CLONE_INTO_CGROUP / CLONE_NEWUSER by clone3
#: breaks: as proc-018
#: severity: critical
#: arch: x86_64
#: status: ok
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long

for fl in (0x200000000, 0x10000000, 0x20000000):
    args = (ctypes.c_uint64 * 11)(fl, 0, 0, 0, 17); r = S(435, ctypes.byref(args), 88)
    print("ESCAPED" if r > 0 else f"refused errno={ctypes.get_errno()}", hex(fl))
