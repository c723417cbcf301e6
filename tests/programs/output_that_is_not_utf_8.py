#: environment: base
#: value: 7
import sys

sys.stdout.buffer.write(b"caf\xe9 \xff\n")
