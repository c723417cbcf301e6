#: title: MemoryError swallowed for ever
#: breaks: catching the exception must not keep the run alive past its time
#: severity: high
#: status: timeout
#: wall_time: 500ms
l = []
while True:
    try: l.append(bytearray(100 << 20))
    except BaseException: pass
