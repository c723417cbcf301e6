#: title: uninitialised memory of an earlier tenant
#: breaks: pages from the kernel are zeroed; a reused session process is not another tenant's
#: severity: high
#: status: ok
#: environment: data
try:
    import numpy as np
    a = np.empty(50_000_000, dtype="u1"); print("ESCAPED" if b"EXECPY" + b"_CANARY" in a.tobytes() else "zeroed or own")
except ImportError: print("no numpy")
