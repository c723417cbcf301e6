#: environment: data
#: wall_time: 30s
import io
import json

import pandas as pd

frame = pd.DataFrame({"name": ["Zoë", "李"], "n": [1, 2]})
print(frame.to_json(orient="records", force_ascii=False))
print(pd.read_json(io.StringIO('{"a": {"0": 1, "1": 2}}'))["a"].tolist())
print(frame.to_markdown(index=False))
print(pd.read_html(io.StringIO(frame.to_html(index=False)))[0]["n"].sum() == 3)
print(pd.json_normalize([{"id": 1, "user": {"name": "Ann", "tags": ["x"]}}]).columns.tolist())
print(json.loads(frame.to_json(orient="split"))["columns"], frame.to_dict("list"))
