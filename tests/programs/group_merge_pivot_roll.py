#: environment: data
#: wall_time: 30s
import pandas as pd

sales = pd.DataFrame({"region": ["n", "s", "n", "s"], "quarter": [1, 1, 2, 2], "units": [10, 20, 30, 40]})
names = pd.DataFrame({"region": ["n", "s"], "name": ["North", "South"]})
merged = sales.merge(names, on="region")
print(merged.groupby("name")["units"].sum().to_dict())
print(merged.pivot_table(index="name", columns="quarter", values="units").to_dict())
print(sales["units"].rolling(2).mean().dropna().tolist(), sales["units"].quantile(0.5))
days = pd.Series(range(10), index=pd.date_range("2024-01-01", periods=10, freq="D"))
print(days.resample("5D").sum().tolist())
