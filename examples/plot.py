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

month = sales["date"].dt.to_period("M").dt.to_timestamp()
monthly = sales.pivot_table("revenue", month, "region", aggfunc="sum", fill_value=0)
regions = monthly.sum().sort_values(ascending=False)
total = monthly.sum(axis=1)
best = total.idxmax()
print(f"rows read {len(raw)}, kept {len(sales)}, dropped {len(raw) - len(sales)}")
print(f"revenue {total.sum():,.2f}, best month {best:%B %Y} with {total.max():,.2f}")
print(f"best region {regions.index[0]} with {regions.iloc[0]:,.2f}")

ink, quiet = "#1f2933", "#7b8794"
colours = dict(zip(regions.index, ["#1d4e6b", "#2f9c95", "#f0a84b", "#d95d4e"]))
plt.rcParams.update({"text.color": ink, "xtick.color": quiet, "ytick.color": quiet})
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 5), width_ratios=[3, 1])
fig.subplots_adjust(left=0.055, right=0.97, top=0.78, bottom=0.11, wspace=0.2)
headline = f"{regions.index[0]} sells most, and {best:%B %Y} was the best month"
fig.text(0.02, 0.93, headline, fontsize=17, weight="bold")
subtitle = f"Revenue of {len(sales)} sales, {total.sum() / 1000:,.0f} thousand in all"
fig.text(0.02, 0.87, subtitle, fontsize=11, color=quiet)

places = range(len(monthly))
bottom = 0 * total
for region in regions.index:
    left.bar(places, monthly[region], 0.78, bottom, color=colours[region], ec="white", lw=0.6)
    bottom = bottom + monthly[region]
mean = total.rolling(3, center=True).mean()
left.plot(places, mean, color="white", linewidth=4.5)
left.plot(places, mean, color=ink, linewidth=2, label="mean of three months")
left.legend(frameon=False, loc="upper left", borderaxespad=0)
left.set_title("by month, thousands", loc="left", fontsize=11, color=quiet)
top = total.max()
left.text(total.index.get_loc(best), top * 1.015, f"{top / 1000:.1f}", ha="center", weight="bold")
names = [f"{m:%b}\n{m.year if m.month == 1 else ' '}" for m in monthly.index[::3]]
left.set_xticks(places[::3], names)
left.set_xlim(-0.6, len(monthly) - 0.4)
left.set_yticks(range(0, int(top) + 2000, 4000))
left.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:.0f}")
left.grid(axis="y", color="#e4e7eb")
left.set_axisbelow(True)

bars = right.barh(regions.index, regions, 0.62, color=list(colours.values()))
right.bar_label(bars, [f"{v / 1000:.1f}" for v in regions], padding=5, weight="bold")
right.invert_yaxis()
right.set_title("by region, thousands", loc="left", fontsize=11, color=quiet)
right.tick_params(axis="y", labelcolor=ink, labelsize=11)
right.set_xlim(0, regions.max() * 1.2)
right.set_xticks([])
for ax in (left, right):
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
fig.savefig("plot.png", dpi=130)
plt.close(fig)

sales.groupby("region")["revenue"].agg(["count", "sum", "mean"]).round(2)
