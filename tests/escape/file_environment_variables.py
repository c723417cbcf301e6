#: title: environment variables leak
#: breaks: the supervisor is started by the harness with EXECPY_CANARY in its environment; the zygote must start from an empty one
#: severity: high
#: status: ok
#: prints: clean env []
#: control: ESCAPED
import os
raw = "\n".join(f"{k}={v}" for k, v in os.environ.items())
try: raw += open("/proc/self/environ", "rb").read().decode("latin1")
except OSError: pass
bad = [w for w in ("EXECPY_CANARY", "API_KEY", "TOKEN", "SECRET", "PASSWORD", "AWS_", "SSH_", "CARGO", "/root") if w in raw.upper() or w in raw]
print("ESCAPED" if bad else "clean env", bad)
