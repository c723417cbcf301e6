#: title: stderr flood and interleaving
#: breaks: both pipes must be drained together (classic deadlock)
#: severity: medium
#: status: timeout | ok
#: wall_time: 500ms
import sys
for i in range(10 ** 7):
    sys.stderr.write("e"); sys.stdout.write("o")
