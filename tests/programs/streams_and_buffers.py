#: environment: base
#: stderr: to the error stream
import contextlib, io, sys

with contextlib.redirect_stdout(io.StringIO()) as caught:
    print("caught")
print("to the error stream", file=sys.stderr)
sys.stdout.write("no newline")
sys.stdout.flush()
sys.stdout.buffer.write(b"\nbytes\n")
print(repr(caught.getvalue()))
