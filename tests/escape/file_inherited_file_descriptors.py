#: title: inherited file descriptors
#: breaks: CVE-2024-21626 class: a leaked directory fd is a way out. Only 0,1,2 and the documented channel may be open; harness compares the list
#: severity: critical
#: status: ok
#: prints: open fds above 2: [(3, 4096, '?'), (4, 4096, '?'), (5, 4096, '?')]
import os, stat
odd = []
for fd in range(0, 4096):
    try: st = os.fstat(fd)
    except OSError: continue
    try: tgt = os.readlink(f"/proc/self/fd/{fd}")
    except OSError: tgt = "?"
    if fd > 2: odd.append((fd, stat.S_IFMT(st.st_mode), tgt))
    if stat.S_ISDIR(st.st_mode):
        try: print("ESCAPED dirfd", fd, os.listdir(fd)[:5])
        except OSError: pass
print("open fds above 2:", odd)
