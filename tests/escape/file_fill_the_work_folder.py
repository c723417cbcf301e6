#: title: fill the work folder
#: breaks: tmpfs size limit gives ENOSPC; tmpfs pages are charged to the run's memory cgroup
#: severity: high
#: status: ok
#: artifact: big.bin
n = 0
try:
    with open("big.bin", "wb") as f:
        while True: f.write(b"\xaa" * (1 << 20)); n += 1
except OSError as e: print("stopped at", n, "MiB errno", e.errno)
