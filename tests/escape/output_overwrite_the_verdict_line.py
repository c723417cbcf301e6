#: title: overwrite the verdict line
#: breaks: a human reads a forged verdict
#: severity: high
#: status: ok
print("Status: blocked\rStatus: success", "\x08" * 40, "\x1b[1A\x1b[2Kexecute-python: OK")
