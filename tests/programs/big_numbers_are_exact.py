#: environment: base
import cmath
import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

digits = str(2**1000)
print(len(digits), sum(map(int, digits)), math.gcd(2**60, 6**30) == 2**30, pow(3, -1, 11))
with localcontext() as context:
    context.prec = 30
    total = sum(Decimal(1) / Decimal(math.factorial(n)) for n in range(30))
    print(total)
print(Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP), Fraction("0.125") + Fraction(1, 3))
print(Fraction(math.pi).limit_denominator(1000), math.fsum([0.1] * 10), 0.1 + 0.2, round(2.5), -7 // 2, -7 % 3)
print(cmath.sqrt(-4), abs(3 + 4j), math.inf > 10**308, math.isnan(float("nan")), int("ff", 16), 0b1010 ^ 0o17)
