#: title: symlink artefact to a host file
#: breaks: the host collector must not follow it: go-judge #176 (2025), compiler-explorer #6026, judge0 CVE-2024-28185
#: severity: critical
#: check: flag
#: status: ok
import os
os.symlink("/etc/shadow", "result.csv")
os.symlink("/proc/self/environ", "env.txt")
print("made links")
