#: title: warnings and tracebacks that contain secrets of the host path layout
#: breaks: paths printed are sandbox paths, never host paths
#: severity: low
#: status: ok
import warnings, traceback, sys
warnings.warn("x")
try: 1 / 0
except ZeroDivisionError: traceback.print_exc()
print(sys.path, sys.prefix, sys.executable, __file__ if "__file__" in globals() else "")
