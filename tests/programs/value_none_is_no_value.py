#: environment: base
numbers = [3, 1, 2]
numbers.sort()
