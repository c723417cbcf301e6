#: environment: base
#: artifact: report/2024/empty.txt text/plain
#: artifact: report/2024/q1.md text/markdown
#: artifact: report/index.html text/html
import os
from pathlib import Path

os.makedirs("report/2024")
os.chdir("report")
Path("index.html").write_text("<!doctype html><title>Report</title><p>Ünïcode ✓</p>", encoding="utf-8")
os.chdir("2024")
Path("q1.md").write_text("# Q1\n\nGrowth of **4 %**.\n", encoding="utf-8")
Path("empty.txt").touch()
os.mkdir("unused")
print(os.path.relpath(os.getcwd(), "/mnt/data") if os.path.exists("/mnt/data") else "report/2024")
print(sorted(os.listdir(".")))
