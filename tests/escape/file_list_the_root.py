#: title: list the root directory and look for host-only entries
#: breaks: the rootfs is minimal: no populated host directory may be visible
#: severity: high
#: status: exception
#: exception: PermissionError
#: control: ESCAPED
import os
names = set(os.listdir("/"))
bad = names & {"root", "home", "boot", "srv", "mnt", "media", "var", "opt", "snap", "sbin", "run"}
print("ESCAPED" if any(os.listdir("/" + n) for n in bad) else "minimal root", sorted(names))
