#: environment: base
#: status: exception
#: exception: ValueError: no such user: 7
def load(key):
    return {}[key]

try:
    load(7)
except KeyError as error:
    raise ValueError("no such user: 7") from error
