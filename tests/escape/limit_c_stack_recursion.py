#: title: C-stack recursion
#: breaks: a segfault of the guest is a normal, reported outcome
#: severity: medium
#: status: crashed | exception | memory_limit
import sys
sys.setrecursionlimit(10 ** 9)
def f(n): return f(n + 1)
class A:
    def __getattr__(self, k): return getattr(self, k)
try: A().x
except RecursionError: print("rec")
f(0)
