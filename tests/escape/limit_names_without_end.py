#: title: page cache and dentry pressure
#: breaks: negative dentries are kernel memory charged to the cgroup (v2) or to nobody (v1 without kmem)
#: severity: medium
#: status: timeout
#: wall_time: 500ms
import os
for i in range(10 ** 7):
    try: os.stat(f"/nope/{i:x}" + "y" * 200)
    except OSError: pass
