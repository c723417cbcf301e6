#: title: session state hoarding
#: breaks: idle sessions hold memory: idle timeout and a per-tenant session cap
#: severity: medium
#: status: ok
import builtins
builtins.keep = bytearray(200 << 20)
print("kept")
