#: environment: base
import dis
import io
import sys

calls = []


def tracer(frame, event, argument):
    if event == "call":
        calls.append(frame.f_code.co_name)
    return None


def inner():
    return 1


def outer():
    return inner() + 1


sys.settrace(tracer)
outer()
sys.settrace(None)
print(calls, sys.getsizeof([]) > 0, sys.getrecursionlimit() >= 1000)
text = io.StringIO()
dis.dis(outer, file=text)
print("RETURN" in text.getvalue(), outer.__code__.co_varnames, sys._getframe().f_code.co_name)
