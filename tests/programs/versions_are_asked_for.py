#: environment: data
#: wall_time: 30s
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import numpy as np
import pandas as pd

print(sys.version_info >= (3, 9), all(int(v.split(".")[0]) >= 1 for v in (np.__version__, pd.__version__)))
print(version("numpy") == np.__version__, find_spec("torch") is None, find_spec("scipy") is not None)
try:
    version("no-such-package")
except PackageNotFoundError:
    print("not installed")
try:
    import tensorflow
except ImportError as error:
    print(type(error).__name__, error)
