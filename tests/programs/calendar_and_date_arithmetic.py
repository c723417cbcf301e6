#: environment: base
import calendar
import os
import time
from datetime import date, datetime, timedelta, timezone

print(calendar.month(2024, 2).splitlines()[-1], calendar.monthrange(2023, 2)[1], calendar.isleap(2000))
start = date(2024, 1, 31)
print((start + timedelta(weeks=2)).isoformat(), (date(2024, 12, 25) - start).days, start.strftime("%A %d %B %Y"))
print(datetime.strptime("2024-03-05 14:07", "%Y-%m-%d %H:%M").isocalendar()[1], datetime(2024, 3, 5).timetuple().tm_yday)
print(datetime.fromtimestamp(0, timezone.utc).isoformat(), datetime.fromisoformat("2024-05-01T12:30:00+02:00").utcoffset())
os.environ["TZ"] = "America/New_York"
time.tzset()
print(time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(1_700_000_000)), time.tzname)
began = time.perf_counter()
time.sleep(0.02)
print(0.02 <= time.perf_counter() - began < 2)
