#: environment: base
for n in range(2):
    n * 10
if True:
    "hidden"
