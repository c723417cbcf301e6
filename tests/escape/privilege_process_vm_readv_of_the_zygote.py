#: title: process_vm_readv / writev on the zygote
#: breaks: fork shares ASLR, so addresses in the zygote are known
#: severity: critical
#: arch: x86_64
#: status: violation
#: violation: process interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long
b = ctypes.create_string_buffer(16); l = (ctypes.c_uint64 * 2)(ctypes.addressof(b), 16); rm = (ctypes.c_uint64 * 2)(ctypes.addressof(b), 16)
for p in {1, os.getppid()}:
    for nr in (310, 311):
        r = S(nr, p, ctypes.byref(l), 1, ctypes.byref(rm), 1, 0); print("ESCAPED" if r > 0 else ctypes.get_errno())
