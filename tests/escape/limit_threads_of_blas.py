#: title: BLAS thread oversubscription
#: breaks: CPU limit counts all threads; cpu.max keeps other tenants served
#: severity: medium
#: status: exception | timeout | memory_limit
#: environment: data
#: wall_time: 500ms
import os
os.environ["OPENBLAS_NUM_THREADS"] = "256"
try:
    import numpy as np
    a = np.random.rand(6000, 6000)
    while True: a = a @ a / 1e4
except ImportError: print("no numpy")
