#: title: exit codes out of range
#: breaks: exit status is 8 bits; SystemExit may carry any object
#: severity: low
#: status: exited
#: exit_code: 0
raise SystemExit(2 ** 40)
