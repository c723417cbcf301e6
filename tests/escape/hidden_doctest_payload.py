#: title: type comments, doctest and docstring payloads
#: breaks: the analyser may miss it: the run must still be contained and the event reported at run time
#: severity: low
#: check: flag-optional
#: status: violation
#: violation: process interrupt
#: echoes: its source
#: control: ESCAPED
"""
>>> import os; os.system("echo ESCAPED")
"""
import doctest, sys
doctest.testmod(sys.modules["__main__"])
