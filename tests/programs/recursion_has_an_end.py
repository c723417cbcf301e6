#: environment: base
def deep(n):
    return deep(n + 1)

try:
    deep(0)
except RecursionError as error:
    print(str(error).split(" while")[0])
print(sum(1 for _ in range(10)))
