#: title: stdin, stdout and stderr reopened as files or ttys
#: breaks: a real terminal on stdio allows TIOCSTI and TIOCLINUX
#: severity: high
#: status: ok
import os
for fd in (0, 1, 2):
    try: print(fd, os.isatty(fd), os.readlink(f"/proc/self/fd/{fd}"))
    except OSError as e: print(e.errno)
    try: print("ESCAPED tty" if os.open("/dev/tty", os.O_RDWR) >= 0 else "")
    except OSError as e: print("no tty", e.errno)
