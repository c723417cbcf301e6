#: environment: base
from itertools import count, islice, takewhile

def primes():
    found = []
    for n in count(2):
        if all(n % p for p in takewhile(lambda p: p * p <= n, found)):
            found.append(n)
            yield n

def accumulate():
    total = 0
    while True:
        total += yield total

print(list(islice(primes(), 12)))
adder = accumulate()
next(adder)
print([adder.send(n) for n in (1, 2, 3)])
