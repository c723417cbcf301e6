#: title: subclass walk to Popen
#: breaks: smolagents CVE-2025-9959
#: severity: medium
#: check: flag
#: status: ok
for c in ().__class__.__base__.__subclasses__():
    if c.__name__ == "Popen": c(["id"]); print("ESCAPED")
print("walked")
