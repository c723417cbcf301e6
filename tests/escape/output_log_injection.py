#: title: log injection
#: breaks: server logs must quote guest text
#: severity: medium
#: status: exception
#: exception: ValueError
raise ValueError("x\n2026-01-01T00:00:00Z INFO execute_python: run=other status=ok user=admin\n")
