#: environment: base
import doctest

def square(n):
    """
    >>> square(3)
    9
    """
    return n * n

print(doctest.testmod())
