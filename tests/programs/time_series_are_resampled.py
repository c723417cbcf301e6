#: environment: data
#: wall_time: 30s
import numpy as np
import pandas as pd

index = pd.date_range("2024-01-01", periods=90, freq="D", tz="UTC")
series = pd.Series(np.arange(90.0), index=index)
print(series.resample("MS").sum().tolist(), series.rolling("7D").mean().iloc[-1])
print(series.ewm(span=3).mean().iloc[-1].round(4) == 88.0, series.shift(1).isna().sum() == 1)
local = series.tz_convert("Asia/Tokyo")
print(local.index[0].hour, series["2024-02"].size, series.between_time("00:00", "01:00").size)
weekly = series.groupby(series.index.day_name()).mean()
print(weekly.loc[["Monday", "Sunday"]].round(2).tolist(), series.diff().iloc[-1], series.pct_change().iloc[-1].round(4) == 0.0114)
print(pd.Timestamp("2024-02-28") + pd.offsets.BDay(2), pd.Period("2024Q1", freq="Q").end_time.date())
