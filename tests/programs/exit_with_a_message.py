#: environment: base
#: status: exited
#: exit_code: 1
#: stderr: something is missing
raise SystemExit("something is missing")
