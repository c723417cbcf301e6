#: environment: data
#: value_mime: text/plain
#: wall_time: 30s
import pandas as pd

ages = pd.Series({"Ann": 31, "Bob": 45, "Çelik": 28}, name="age")
print(ages.idxmax(), ages.sort_values().index.tolist(), ages.describe()["mean"].round(2) == 34.67)
ages[ages > 30]
