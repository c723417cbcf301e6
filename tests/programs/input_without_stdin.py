#: environment: base
#: status: exception
#: exception: EOFError: input() was called
input("name? ")
