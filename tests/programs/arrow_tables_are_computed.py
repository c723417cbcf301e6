#: environment: data
#: artifact: t.feather application/octet-stream
#: artifact: t.parquet application/vnd.apache.parquet
#: wall_time: 30s
#: memory: 512MiB
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather as feather
import pyarrow.parquet as pq

table = pa.table({"city": ["Oslo", "Rome", "Oslo"], "t": [1.5, 20.0, None]})
print(table.num_rows, pc.sum(table["t"]).as_py(), pc.unique(table["city"]).to_pylist())
print(table.group_by("city").aggregate([("t", "max")]).sort_by("city").to_pydict()["t_max"])
pq.write_table(table, "t.parquet", compression="snappy")
feather.write_feather(table, "t.feather")
print(pq.read_table("t.parquet", columns=["t"]).schema.names, feather.read_table("t.feather").equals(table))
print(pa.csv.read_csv(pa.BufferReader(b"a,b\n1,x\n2,y\n")).schema.types)
