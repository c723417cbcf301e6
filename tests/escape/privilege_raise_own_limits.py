#: title: raise own limits
#: breaks: hard limits and no CAP_SYS_RESOURCE
#: severity: high
#: status: ok
#: control: ESCAPED
import resource
for n in dir(resource):
    if n.startswith("RLIMIT_"):
        try: resource.setrlimit(getattr(resource, n), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)); print("ESCAPED", n)
        except (OSError, ValueError) as e: pass
print("done")
