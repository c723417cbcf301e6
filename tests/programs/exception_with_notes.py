#: environment: base
#: python: 3.11+
#: status: exception
#: exception: TypeError: bad
try:
    raise TypeError("bad")
except TypeError as error:
    error.add_note("while reading row 3")
    raise
