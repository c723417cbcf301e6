#: environment: base
#: status: exception
#: exception: KeyboardInterrupt
raise KeyboardInterrupt
