#: environment: base
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 50
print(Decimal(2).sqrt())
print(Decimal("0.1") + Decimal("0.2") == Decimal("0.3"), Fraction(1, 3) + Fraction(1, 6))
