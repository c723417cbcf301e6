#: environment: base
#: value: 354224848179261915075
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a

fibonacci(100)
