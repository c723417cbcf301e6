#: title: machine identity
#: breaks: hostname is a constant, machine-id absent; kernel version and boot time are visible by syscall: documented
#: severity: low
#: status: ok
#: prints: node='sandbox'
import os, platform, uuid, time
print(platform.uname(), uuid.getnode(), time.clock_gettime(time.CLOCK_BOOTTIME))
for p in ("/etc/machine-id", "/proc/sys/kernel/random/boot_id", "/proc/cpuinfo", "/sys/class/dmi/id/product_name"):
    try: print(p, open(p).read(40))
    except OSError as e: print(p, e.errno)
