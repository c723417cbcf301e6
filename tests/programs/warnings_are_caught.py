#: environment: base
import warnings


def old():
    warnings.warn("old() is deprecated, use new()", DeprecationWarning, stacklevel=2)
    return 1


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    old()
    old()
print(len(caught), caught[0].category.__name__, caught[0].message)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        old()
    except DeprecationWarning as warning:
        print("raised:", warning)
warnings.filterwarnings("ignore")
print(old())
