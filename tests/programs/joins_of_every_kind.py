#: environment: data
#: wall_time: 30s
import pandas as pd

orders = pd.DataFrame({"id": [1, 2, 3], "customer": ["ann", "bob", "eve"], "total": [10.0, 20.0, 5.0]})
people = pd.DataFrame({"customer": ["ann", "bob", "dan"], "city": ["Oslo", "Rome", "Bern"]})
for how in ("inner", "left", "right", "outer"):
    joined = orders.merge(people, on="customer", how=how, indicator=True)
    print(how, len(joined), int((joined["_merge"] == "both").sum()), int(joined["city"].isna().sum()))
trades = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 10:00", "2024-01-01 10:05"]), "qty": [5, 7]})
prices = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 09:59", "2024-01-01 10:04"]), "price": [1.5, 1.75]})
print(pd.merge_asof(trades, prices, on="t")["price"].tolist())
try:
    orders.merge(people, on="customer", validate="one_to_many").merge(people, on="nothing")
except KeyError as error:
    print("no column", error)
