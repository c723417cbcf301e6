#: environment: base
#: stderr: ZeroDivisionError: division by zero
import sys
import traceback


def ratio(a, b):
    return a / b


try:
    ratio(1, 0)
except ZeroDivisionError as error:
    traceback.print_exc()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    print(frame.name, frame.line)
    print(traceback.format_exception_only(type(error), error)[0].strip())
    print(sys.exc_info()[0].__name__, error.__traceback__.tb_frame.f_code.co_name)

try:
    try:
        int("x")
    except ValueError as error:
        raise KeyError("price") from error
except KeyError as error:
    print(repr(error), "because", repr(error.__cause__))
