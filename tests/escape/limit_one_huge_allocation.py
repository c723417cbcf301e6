#: title: one huge allocation
#: breaks: RLIMIT_AS or cgroup
#: severity: high
#: check: flag
#: status: memory_limit
x = bytearray(64 << 30)
print("ESCAPED", len(x))
