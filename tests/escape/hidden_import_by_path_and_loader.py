#: title: import by path and loader
#: breaks: the analyser may miss it: the run must still be contained and the event reported at run time
#: severity: medium
#: check: flag-dynamic
#: status: violation
#: violation: process interrupt
#: artifact: __pycache__/m.cpython-*.pyc
#: artifact: m.py
#: control: ESCAPED
import importlib.util, sys
open("m.py", "w").write("import os\nos.system('echo ESCAPED')\n")
s = importlib.util.spec_from_file_location("m", "m.py"); m = importlib.util.module_from_spec(s); s.loader.exec_module(m)
