#: environment: data
#: value_mime: text/html
#: wall_time: 30s
import pandas as pd

frame = pd.DataFrame({"city": ["Oslo", "Rome"], "t": [4.5, 17.25]})
print(frame.shape, list(frame.columns))
frame
