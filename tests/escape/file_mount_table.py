#: title: mount table reveals host paths
#: breaks: bind sources and overlay upperdirs are printed in mountinfo
#: severity: low
#: status: ok
#: prints: ok 0
try: t = open("/proc/self/mountinfo").read()
except OSError as e: t = ""
print("ESCAPED host path" if any(w in t for w in ("/var/lib", "/home/", "/root/", "/srv/", "overlay", "upperdir=")) else "ok", len(t))
