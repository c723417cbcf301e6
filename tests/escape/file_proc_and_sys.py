#: title: /proc and /sys host information
#: breaks: best is no /proc and no /sys at all, or a subset=pid mount; each READABLE line must be in the docs
#: severity: medium
#: status: ok
#: prints: ok
leak = {}
for p in ("/proc/cmdline", "/proc/mounts", "/proc/self/mountinfo", "/proc/self/cgroup", "/proc/net/tcp", "/proc/net/unix", "/proc/keys", "/proc/kallsyms", "/proc/timer_list", "/proc/sched_debug", "/proc/kcore", "/proc/config.gz", "/proc/version", "/proc/modules", "/sys/class/dmi/id/product_uuid", "/sys/class/net", "/sys/kernel/notes", "/sys/firmware/efi", "/proc/sys/kernel/random/boot_id", "/proc/driver", "/proc/acpi", "/proc/scsi", "/proc/locks"):
    try: leak[p] = open(p, "rb").read(200)
    except OSError as e: pass
for k, v in leak.items(): print("READABLE", k, v[:60])
print("ESCAPED" if any(k in leak for k in ("/proc/kcore", "/proc/keys", "/proc/kallsyms", "/sys/class/dmi/id/product_uuid")) else "ok")
