#: title: write read-only mappings through /proc/self/mem
#: breaks: affects only this process; but FOLL_FORCE on a shared file mapping was Dirty COW: best is no writable /proc
#: severity: low
#: status: ok
#: control: own memory only
import ctypes
b = b"constant-bytes-object"
try:
    f = open("/proc/self/mem", "r+b", 0); f.seek(id(b) + 32); f.write(b"CONSTANT"); print("own memory only", b)
except OSError as e: print(e.errno)
