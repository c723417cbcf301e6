#: environment: base
from functools import lru_cache, partial, reduce, singledispatch

@lru_cache(maxsize=None)
def ways(n):
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)

@singledispatch
def kind(value):
    return "other"

@kind.register(int)
def _(value):
    return "int"

print(ways(80), ways.cache_info().misses, partial(pow, 2)(10), reduce(lambda a, b: a * b, range(1, 6)))
print(kind(1), kind("a"))
