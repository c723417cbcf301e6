#: title: object whose repr raises or lies
#: breaks: traceback printing meets hostile objects; exit status must not read as success
#: severity: medium
#: status: exception
#: exception: E
class E(Exception):
    def __str__(self): raise SystemExit(0)
    __repr__ = __str__
    __class__ = int
raise E()
