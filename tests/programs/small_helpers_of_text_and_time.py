#: environment: data
#: stderr: 100%
#: wall_time: 30s
from datetime import datetime
import pytz, yaml
from dateutil.parser import parse
from dateutil.relativedelta import relativedelta
from tabulate import tabulate
from tqdm import tqdm

print(tabulate([["a", 1], ["b", 2.5]], headers=["k", "v"], tablefmt="github"))
print(sum(tqdm(range(10))), yaml.safe_load("a: [1, {b: null}]"))
print(parse("3 March 2024 14:30") + relativedelta(months=1))
print(pytz.timezone("Asia/Kolkata").localize(datetime(2024, 1, 1)).isoformat())
