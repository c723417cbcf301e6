#: title: uid, groups, capabilities and securebits are what the docs say
#: breaks: all capability sets zero, bounding set too, no_new_privs 1, seccomp mode 2
#: severity: critical
#: status: ok
#: control: ESCAPED
import os
print("uid", os.getresuid(), "gid", os.getresgid(), "groups", os.getgroups())
try:
    st = dict(l.split(":\t", 1) for l in open("/proc/self/status").read().splitlines() if ":\t" in l)
    print({k: st.get(k) for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Seccomp_filters", "Groups")})
    if int(st["CapEff"], 16) or int(st["CapPrm"], 16) or st["NoNewPrivs"] != "1" or st["Seccomp"] != "2" or os.getuid() == 0: print("ESCAPED weak credentials")
except (OSError, KeyError) as e: print(type(e).__name__)
