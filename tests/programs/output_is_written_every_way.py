#: environment: base
#: stderr: progress
import os
import sys

print("a", "b", sep="-", end="!\n", flush=True)
sys.stdout.write("written\n")
sys.stdout.flush()
os.write(1, b"by descriptor\n")
sys.stdout.buffer.write("bytes: ü\n".encode())
sys.stdout.buffer.flush()
print(*range(5))
print("carriage\rreturn\ttab")
print("progress", file=sys.stderr)
print(sys.stdout.isatty(), sys.stdin.isatty(), sys.stdout.encoding.lower(), file=sys.stdout)
