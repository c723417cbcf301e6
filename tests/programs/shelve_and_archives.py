#: environment: base
#: artifact: backup.zip application/zip
import glob
import os
import shelve
import shutil
import tempfile
from pathlib import Path

with shelve.open("store") as store:
    store["user"] = {"name": "Ada", "tags": {1, 2}}
with shelve.open("store") as store:
    print(store["user"]["name"], list(store))
for path in glob.glob("store*"):
    os.remove(path)

with tempfile.TemporaryDirectory() as folder:
    for name in ("a.txt", "sub/b.txt"):
        path = Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(name * 3)
    shutil.make_archive("backup", "zip", folder)
    shutil.unpack_archive("backup.zip", Path(folder, "again"))
    print(sorted(p.relative_to(folder).as_posix() for p in Path(folder).rglob("*.txt")))
print(shutil.disk_usage(".").total > 0)
