"""Cleans a table of sales, prints what it says and draws it."""

import matplotlib.pyplot as plt
import pandas as pd

raw = pd.read_csv("sales.csv")
sales = raw.drop_duplicates().copy()
sales["region"] = sales["region"].str.strip().str.title()
sales["date"] = pd.to_datetime(sales["date"], format="mixed", errors="coerce")
sales["units"] = pd.to_numeric(sales["units"], errors="coerce")
sales = sales.dropna(subset=["date", "units", "unit_price"])
sales["revenue"] = sales["units"] * sales["unit_price"]

monthly = sales.pivot_table(
    index=sales["date"].dt.to_period("M").dt.to_timestamp(),
    columns="region",
    values="revenue",
    aggfunc="sum",
)
total = monthly.sum(axis=1)
print(f"rows read {len(raw)}, kept {len(sales)}, dropped {len(raw) - len(sales)}")
print(f"revenue {total.sum():,.2f}, best month {total.idxmax():%B %Y} with {total.max():,.2f}")

fig, ax = plt.subplots(figsize=(9, 4.8))
ax.stackplot(monthly.index, monthly.fillna(0).T, labels=monthly.columns, alpha=0.85)
ax.plot(total.index, total, color="black", linewidth=1.5, label="total")
ax.set_title("Revenue by month and region", loc="left", fontweight="bold")
ax.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:.0f} k")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(ncols=3, frameon=False, loc="upper left")
ax.margins(x=0)
ax.set_ylim(0, total.max() * 1.25)
fig.savefig("plot.png", dpi=130, bbox_inches="tight")
plt.close(fig)

sales.groupby("region")["revenue"].agg(["count", "sum", "mean"]).round(2)
