#: title: pickle result that executes on load
#: breaks: the host must never unpickle, eval, or yaml.load a guest value
#: severity: critical
#: status: ok
import os
class R:
    def __reduce__(self): return (os.system, ("echo ESCAPED > /tmp/execpy_pickle",))
result = R()
result
