#: environment: base
#: stdin: 3 1 2\n9\n
import sys

print(sorted(int(word) for word in sys.stdin.read().split()))
