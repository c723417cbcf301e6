#: environment: data
#: displays: image/png
#: displays: image/png
#: wall_time: 30s
%matplotlib inline
import matplotlib.pyplot as plt
import pandas as pd

df = pd.DataFrame({"a": [1, 3, 2], "b": [2, 1, 4]}, index=pd.date_range("2024-01-01", periods=3, freq="D"))
df.plot(title="lines")
plt.show()
df.plot.bar(subplots=True)
plt.tight_layout()
plt.show()
