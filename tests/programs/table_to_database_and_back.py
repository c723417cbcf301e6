#: environment: data
#: artifact: sales.sqlite application/vnd.sqlite3
#: wall_time: 30s
import sqlite3

import pandas as pd

frame = pd.DataFrame({"region": ["north", "south", "north"], "units": [3, 4, 5]})
connection = sqlite3.connect("sales.sqlite")
frame.to_sql("sales", connection, index=False)
totals = pd.read_sql("select region, sum(units) as units from sales group by region order by 1", connection)
connection.close()
print(totals.to_dict("records"))
