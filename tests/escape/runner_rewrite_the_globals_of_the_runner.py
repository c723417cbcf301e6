#: title: rewrite the runner's globals
#: breaks: the wrapper can be disabled; the supervisor must then say 'no result', never success
#: severity: high
#: status: exception
#: exception: RuntimeError
import sys
f = sys._getframe()
while f.f_back: f = f.f_back; f.f_globals.update({k: (lambda *a, **k: None) for k in list(f.f_globals) if callable(f.f_globals[k]) and not k.startswith("__")})
raise RuntimeError("must still be reported")
