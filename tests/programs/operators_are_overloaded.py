#: environment: base
#: value: Money(7.50 EUR)
from functools import total_ordering


@total_ordering
class Money:
    def __init__(self, cents, currency="EUR"):
        self.cents, self.currency = cents, currency

    def __add__(self, other):
        if other == 0:
            return self
        if self.currency != other.currency:
            return NotImplemented
        return Money(self.cents + other.cents, self.currency)

    __radd__ = __add__

    def __mul__(self, factor):
        return Money(round(self.cents * factor), self.currency)

    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, Money) and (self.cents, self.currency) == (other.cents, other.currency)

    def __lt__(self, other):
        return self.cents < other.cents

    def __hash__(self):
        return hash((self.cents, self.currency))

    def __bool__(self):
        return self.cents != 0

    def __format__(self, spec):
        return format(self.cents / 100, spec or ".2f") + " " + self.currency

    def __repr__(self):
        return f"Money({self})"


prices = [Money(250), Money(199), Money(301)]
print(f"{sum(prices)} {max(prices):.1f}", Money(1) <= Money(2), bool(Money(0)), len({Money(1), Money(1)}))
try:
    Money(1) + Money(1, "USD")
except TypeError as error:
    print(str(error)[:29])
3 * Money(250)
