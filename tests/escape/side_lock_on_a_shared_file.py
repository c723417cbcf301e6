#: title: file-lock covert channel on a shared inode
#: breaks: locks on inodes of a shared read-only mount are visible across mount namespaces (isolate forbids them since 2.4)
#: severity: low
#: status: ok
import fcntl, os
fd = os.open(os.__file__, os.O_RDONLY)
try: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB); print("locked a shared inode")
except OSError as e: print("busy or refused", e.errno)
