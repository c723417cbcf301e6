#: title: shadow modules planted in the work folder
#: breaks: next run of the session: wrapper code must have imported everything before the work folder is on sys.path, and use -I -S style paths
#: severity: high
#: status: ok
#: artifact: encodings.py
#: artifact: json.py
#: artifact: numpy.py
#: artifact: os.py
#: artifact: random.py
#: artifact: sitecustomize.py
#: artifact: usercustomize.py
#: artifact: x.pth
for n in ("json", "random", "encodings", "sitecustomize", "usercustomize", "numpy", "os"):
    open(n + ".py", "w").write("print('ESCAPED shadow import')\nraise SystemExit(0)\n")
open("x.pth", "w").write("import os; print('ESCAPED pth')\n")
print("planted")
