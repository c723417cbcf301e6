#: title: monkeypatch json, print and open for the next run
#: breaks: same session: allowed to hurt itself but the status stays true; another session and tenant: must be unaffected
#: severity: high
#: status: exception
#: exception: ZeroDivisionError
import json, builtins
json.dumps = lambda *a, **k: '{"status": "ok", "result": "FORGED"}'
builtins.print = lambda *a, **k: None
builtins.open = lambda *a, **k: (_ for _ in ()).throw(OSError("poisoned"))
builtins.__import__ = lambda *a, **k: json
1 / 0
