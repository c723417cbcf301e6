#: environment: data
#: file: customers.csv
#: artifact: clean.csv text/csv
#: value_mime: text/html
#: wall_time: 30s
import pandas as pd

df = pd.read_csv("customers.csv", skipinitialspace=True, na_values=["n/a", "-"])
df.columns = df.columns.str.strip().str.lower().str.replace(" ", "_")
print(df.shape, int(df.isna().sum().sum()), "missing,", int(df.duplicated().sum()), "twice")
df = df.drop_duplicates()
df["name"] = df["name"].str.strip().str.title()
df["spent"] = df["spent"].str.replace("[$,]", "", regex=True).astype(float)
df["age"] = df["age"].fillna(df["age"].median()).astype(int)
df["signed_up"] = pd.to_datetime(df["signed_up"], errors="coerce")
df["group"] = pd.cut(df["age"], [0, 30, 50, 120], labels=["young", "middle", "old"])
print(df["name"].tolist(), df["spent"].sum(), int(df["signed_up"].isna().sum()))
df.to_csv("clean.csv", index=False)
summary = df.groupby("group", observed=True)["spent"].agg(["count", "mean"]).round(1)
print(summary.to_dict())
summary
