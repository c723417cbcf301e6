#: environment: base
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

moment = datetime(2024, 3, 31, 0, 30, tzinfo=timezone.utc)
for name in ("Europe/Berlin", "Asia/Tokyo", "America/New_York"):
    local = moment.astimezone(ZoneInfo(name))
    later = (moment + timedelta(hours=1)).astimezone(ZoneInfo(name))
    print(name, local.isoformat(), later.isoformat())
