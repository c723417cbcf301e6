#: environment: base
#: artifact: kept/report.txt text/plain
import os, pathlib, shutil, tempfile

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "a.txt")
    path.write_text("temporary")
    shutil.copy2(path, path.with_suffix(".bak"))
    print(sorted(os.listdir(folder)))
print(os.path.exists(folder), os.getcwd(), pathlib.Path.home(), os.access(pathlib.Path.home(), os.W_OK))
pathlib.Path("kept").mkdir()
pathlib.Path("kept/report.txt").write_text("kept")
print(sorted(str(p) for p in pathlib.Path(".").rglob("*")))
