#: environment: data
#: wall_time: 30s
import os

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
pd.DataFrame({"key": rng.integers(0, 5, 50_000), "value": np.ones(50_000)}).to_csv("big.csv.gz", index=False)
totals = None
for chunk in pd.read_csv("big.csv.gz", chunksize=10_000, dtype={"key": "int8"}):
    part = chunk.groupby("key")["value"].sum()
    totals = part if totals is None else totals.add(part, fill_value=0)
print(totals.sum(), len(totals), os.path.getsize("big.csv.gz") < 300_000)
os.remove("big.csv.gz")
