#: title: sysctl and sysrq writes
#: breaks: runc CVE-2025-31133/52565/52881 (and youki) were redirected /proc writes; core_pattern gives root on the host
#: severity: critical
#: status: ok
#: prints: done
#: control: WRITABLE
for p in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/proc/self/oom_score_adj", "/proc/self/uid_map", "/proc/self/attr/exec", "/proc/self/coredump_filter", "/proc/self/timerslack_ns"):
    try: f = open(p, "w"); print("WRITABLE", p)
    except OSError as e: pass
print("done")
