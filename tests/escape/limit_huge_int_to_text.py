#: title: huge int to text
#: breaks: quadratic conversion, GIL held
#: severity: low
#: status: timeout | ok
#: wall_time: 500ms
import sys
sys.set_int_max_str_digits(0)
print(len(str(1 << 10 ** 8)))
