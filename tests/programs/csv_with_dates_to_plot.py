#: environment: data
#: file: dates.csv
#: artifact: plot.png image/png
#: wall_time: 30s
import pandas as pd
import matplotlib.pyplot as plt

frame = pd.read_csv("dates.csv", parse_dates=["date"])
frame["sales"] = frame["sales"].fillna(frame["sales"].mean())
monthly = frame.set_index("date").resample("MS").sum()
print(monthly["visitors"].tolist())
fig, ax = plt.subplots()
ax.plot(monthly.index, monthly["sales"], marker="o")
ax.set_title("Sales by month")
fig.savefig("plot.png")
plt.close(fig)
