#: environment: data
#: wall_time: 30s
import io

import pandas as pd

frame = pd.DataFrame({"n": [1, 2, 3, 4], "x": [0.5, 1.5, 2.5, 3.5]})
text = io.StringIO()
frame.info(memory_usage=False, buf=text)
print("\n".join(text.getvalue().splitlines()[1:]))
print(frame.describe().loc[["count", "mean", "max"]].to_string())
print(frame.to_string(index=False))
with pd.option_context("display.max_rows", 2, "display.float_format", "{:.1f}".format):
    print(frame[["x"]])
print(frame.corr().round(3).values.tolist())
