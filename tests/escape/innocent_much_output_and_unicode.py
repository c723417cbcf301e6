#: title: big but allowed output and unicode
#: breaks: exact bytes, both streams, in order per stream
#: check: no-block
#: status: ok
#: wall_time: 30s
print("é漢字🙂" * 1000); import sys; print("warn", file=sys.stderr)
