#: environment: base
import atexit

atexit.register(print, "first registered, last run")
atexit.register(print, "last registered, first run")
print("body")
