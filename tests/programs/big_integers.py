#: environment: base
import math

n = 2**521 - 1
print(n.bit_length(), pow(3, n - 1, n) == 1, math.factorial(50) % (10**9 + 7))
print(math.isqrt(10**60), math.comb(100, 50))
