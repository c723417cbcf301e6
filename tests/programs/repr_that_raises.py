#: environment: base
#: status: exception
#: exception: RuntimeError: no repr
class Odd:
    def __repr__(self):
        raise RuntimeError("no repr")

Odd()
