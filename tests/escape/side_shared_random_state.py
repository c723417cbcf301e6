#: title: shared random state across runs
#: breaks: measured: after fork numpy's global generator is identical in every child while random and secrets differ; reseed in the child
#: severity: high
#: status: ok
#: environment: data
import random
out = [round(random.random(), 12)]
try:
    import numpy as np
    out.append(float(np.random.rand()))
except ImportError: pass
print(out)
