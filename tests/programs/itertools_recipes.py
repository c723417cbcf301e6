#: environment: base
import operator
from itertools import accumulate, chain, combinations, compress, count, cycle, groupby, islice, permutations
from itertools import product, repeat, starmap, tee, zip_longest

print(list(accumulate([1, 2, 3, 4], operator.mul)), list(chain.from_iterable(["ab", "c"])))
print(["".join(p) for p in permutations("abc", 2)], len(list(combinations(range(10), 3))))
print({k: len(list(g)) for k, g in groupby(sorted("banana"))}, list(compress("abcd", [1, 0, 1, 0])))
print(list(zip_longest("ab", "xyz", fillvalue="-")), list(islice(cycle("ab"), 5)))
a, b = tee(range(4))
next(b)
print(list(zip(a, b)), list(starmap(pow, [(2, 3), (3, 2)])), list(repeat(7, 2)))
print(sum(1 for _ in product("ab", repeat=3)), next(n for n in count(10) if n % 7 == 0))
