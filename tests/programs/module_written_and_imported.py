#: environment: base
#: artifact: helpers.py text/plain
#: artifact: shapes/__init__.py text/plain
#: artifact: shapes/area.py text/plain
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
pathlib.Path("helpers.py").write_text("def greet(name):\n    return f'hello {name}'\n")
pathlib.Path("shapes").mkdir()
pathlib.Path("shapes/__init__.py").write_text("from .area import square\n")
pathlib.Path("shapes/area.py").write_text("def square(a):\n    return a * a\n")
importlib.invalidate_caches()

import helpers
from shapes import square

print(helpers.greet("Ada"), square(7), helpers.__name__)
