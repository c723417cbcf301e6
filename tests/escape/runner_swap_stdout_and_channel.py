#: title: swap stdout and the channel by dup2
#: breaks: descriptors are interchangeable for the guest
#: severity: medium
#: status: exited
#: exit_code: 125
import os
for fd in range(3, 64):
    try: os.dup2(1, fd)
    except OSError: pass
    try: os.dup2(fd, 1)
    except OSError: pass
print("swapped")
