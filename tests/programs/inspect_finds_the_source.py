#: environment: base
import inspect

def add(a, b=2):
    """Adds."""
    return a + b

print(inspect.getsource(add), inspect.signature(add), inspect.getdoc(add))
