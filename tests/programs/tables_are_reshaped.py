#: environment: data
#: wall_time: 30s
import pandas as pd

wide = pd.DataFrame({"city": ["Oslo", "Rome"], "2022": [10, 30], "2023": [14, 33]})
long = wide.melt(id_vars="city", var_name="year", value_name="visits")
print(long.values.tolist())
back = long.pivot(index="city", columns="year", values="visits")
print(back.loc["Rome", "2023"], (back["2023"] / back["2022"] - 1).round(2).to_dict())
stacked = back.stack()
print(stacked.index.names, int(stacked.loc[("Oslo", "2022")]))
print(pd.crosstab(["a", "b", "a"], ["x", "x", "y"]).values.tolist())
print(pd.DataFrame({"k": ["a", "b"], "v": [[1, 2], [3]]}).explode("v")["v"].tolist())
both = pd.concat([wide, wide.assign(city=lambda d: d["city"].str.upper())], ignore_index=True)
print(both.query("`2022` > 20")["city"].tolist(), both.shape)
print(pd.get_dummies(wide["city"]).astype(int).values.tolist())
