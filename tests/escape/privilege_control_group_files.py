#: title: cgroup files: release_agent, own limits, freeze
#: breaks: CVE-2022-0492; no cgroup filesystem inside at all
#: severity: critical
#: status: ok
import os, glob
for pat in ("/sys/fs/cgroup/**/release_agent", "/sys/fs/cgroup/**/cgroup.procs", "/sys/fs/cgroup/**/memory.max", "/sys/fs/cgroup/**/memory.limit_in_bytes", "/sys/fs/cgroup/**/cgroup.freeze"):
    for p in glob.glob(pat, recursive=True)[:50]:
        try: open(p, "r+").close(); print("ESCAPED writable", p)
        except OSError: pass
print("done")
