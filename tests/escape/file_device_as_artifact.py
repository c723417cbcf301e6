#: title: device node artefact
#: breaks: no CAP_MKNOD, nodev mount; sandlock fixed a real escape here (b7a748c)
#: severity: critical
#: status: ok
import os, stat
for name, maj, mi in (("null", 1, 3), ("mem", 1, 1), ("sda", 8, 0), ("vda", 254, 0)):
    try: os.mknod(name, 0o666 | stat.S_IFBLK if name[1] == "d" else 0o666 | stat.S_IFCHR, os.makedev(maj, mi)); print("ESCAPED node", name)
    except OSError as e: print(type(e).__name__, e.errno)
