#: environment: base
#: stderr: main.py:2: UserWarning: careful
import warnings
warnings.warn("careful")
print("still here")
