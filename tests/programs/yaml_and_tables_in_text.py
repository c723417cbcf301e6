#: environment: data
#: artifact: settings.yaml text/x-yaml
#: wall_time: 30s
import datetime

import yaml
from dateutil import rrule, tz
from dateutil.relativedelta import relativedelta
from tabulate import tabulate

settings = {"name": "démo", "when": datetime.date(2024, 2, 29), "steps": [{"run": "a"}, {"run": "b"}], "on": True}
with open("settings.yaml", "w", encoding="utf-8") as file:
    yaml.safe_dump(settings, file, allow_unicode=True, sort_keys=False)
print(open("settings.yaml", encoding="utf-8").read(), end="")
print(yaml.safe_load(open("settings.yaml", encoding="utf-8")) == settings)
try:
    yaml.safe_load("a: [1, 2")
except yaml.YAMLError as error:
    print(type(error).__name__)
print(tabulate([["Ann", 1234.5], ["李", 7]], headers=["name", "sum"], tablefmt="grid", floatfmt=".2f"))
print(settings["when"] + relativedelta(years=1), datetime.datetime(2024, 7, 1, tzinfo=tz.gettz("Europe/Paris")).utcoffset())
print([d.date().isoformat() for d in rrule.rrule(rrule.MONTHLY, count=3, dtstart=datetime.datetime(2024, 1, 15))])
