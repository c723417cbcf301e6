#: title: parent and init environment and command line
#: breaks: zygote and pid 1 must be unreadable (hidepid, dumpable=0, or no /proc at all)
#: severity: high
#: status: ok
#: control: ESCAPED
import os
out = b""
for p in ("1", str(os.getppid()), "self"):
    for f in ("environ", "cmdline", "maps", "cwd", "root", "exe"):
        try: out += (os.readlink(f"/proc/{p}/{f}").encode() if f in ("cwd", "root", "exe") else open(f"/proc/{p}/{f}", "rb").read())
        except OSError: pass
print("ESCAPED" if b"CANARY" in out or b"/root/" in out or b"/home/" in out else "nothing", len(out))
