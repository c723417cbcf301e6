#: title: attribute set on builtins, called later
#: breaks: the analyser may miss it: the run must still be contained and the event reported at run time
#: severity: medium
#: check: flag-dynamic
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import builtins
builtins.ok = __import__("os").system
class X:
    def __getitem__(self, k): return ok(k)
X()["echo ESCAPED"]
