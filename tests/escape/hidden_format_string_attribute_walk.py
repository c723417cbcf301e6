#: title: format-string attribute walk
#: breaks: RestrictedPython CVE-2023-41039; harmless in an OS sandbox
#: severity: low
#: check: flag
#: status: ok
print("{0.__class__.__mro__[1].__subclasses__}".format(""))
