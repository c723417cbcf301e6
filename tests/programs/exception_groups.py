#: environment: base
#: python: 3.11+
#: status: exception
#: exception: ExceptionGroup: several (2 sub-exceptions)
raise ExceptionGroup("several", [ValueError("a"), TypeError("b")])
