#: title: names that look like traversal after decoding
#: breaks: the host must never join artefact names to a host path; double decoding is the usual hole
#: severity: high
#: status: ok
#: artifacts: any
import os
os.makedirs("..%2f..%2fetc", exist_ok=True)
for n in ("..%2f..%2fetc/passwd", "....//....//x", "．．／x", "a\u2215b", "~root", "file:x"):
    try:
        os.makedirs(os.path.dirname(n) or ".", exist_ok=True); open(n, "w").write("1")
    except OSError as e: print(e.errno)
print("ok")
