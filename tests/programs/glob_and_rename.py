#: environment: base
import glob, os, pathlib

for n in range(3):
    pathlib.Path(f"part{n}.log").write_text(str(n))
os.rename("part2.log", "part9.log")
print(sorted(glob.glob("part*.log")), os.stat("part0.log").st_size)
for name in glob.glob("*.log"):
    os.remove(name)
