#: environment: base
import random

def merge_sort(items):
    if len(items) <= 1:
        return list(items)
    middle = len(items) // 2
    left, right = merge_sort(items[:middle]), merge_sort(items[middle:])
    merged = []
    while left and right:
        merged.append((left if left[0] <= right[0] else right).pop(0))
    return merged + left + right

cases = [[], [1], [2, 1], list(range(50)), list(range(50, 0, -1)), [3] * 20, ["b", "a", "ä"]]
random.seed(7)
cases += [[random.randint(-100, 100) for _ in range(n)] for n in range(40)]
assert all(merge_sort(case) == sorted(case) for case in cases)
print(f"{len(cases)} cases pass")
