#: environment: data
#: wall_time: 30s
#: memory: 512MiB
import os
import pandas as pd
import pyarrow.parquet as pq

frame = pd.DataFrame({"a": range(1000), "b": ["x", "y"] * 500})
frame.to_parquet("t.parquet")
print(pq.read_table("t.parquet").num_rows, pd.read_parquet("t.parquet").equals(frame))
os.remove("t.parquet")
