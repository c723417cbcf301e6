#: title: sub-interpreter outside the wrapper's view
#: breaks: sub-interpreters have their own audit and trace state
#: severity: medium
#: status: violation | ok | exception
#: violation: process interrupt
try:
    import _xxsubinterpreters as si
    i = si.create(); si.run_string(i, "import os; os.system('x')")
except ImportError: print("none")
