#: title: raw device files
#: breaks: /dev holds only null, zero, full, random, urandom and shm
#: severity: critical
#: status: ok
#: prints: done ['full', 'null', 'random', 'shm', 'urandom', 'zero']
#: control: ESCAPED
import os
for d in ("mem", "kmem", "port", "kmsg", "fuse", "kvm", "vhost-net", "loop-control", "net/tun", "vsock", "uinput", "snapshot", "mapper/control", "dri/card0", "nvidia0", "sda", "vda", "ptmx", "console", "hpet", "cpu/0/msr"):
    try: print("ESCAPED", d, os.open("/dev/" + d, os.O_RDWR))
    except OSError as e: pass
print("done", sorted(os.listdir("/dev")) if os.path.isdir("/dev") else "no /dev")
