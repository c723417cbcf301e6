#: title: POSIX shared memory left behind
#: breaks: starts a resource-tracker process too; /dev/shm must be private, sized and gone after
#: severity: medium
#: status: violation | ok
#: violation: process interrupt
from multiprocessing import shared_memory
try:
    s = shared_memory.SharedMemory(create=True, size=1 << 30); s.buf[:8] = b"LEFTOVER"; print(s.name)
except Exception as e: print(type(e).__name__)
