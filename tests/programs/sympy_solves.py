#: environment: data
#: value: x**3/3
#: value_mime: text/latex
#: wall_time: 60s
#: cpu_time: 60s
from sympy import diff, integrate, latex, limit, oo, sin, solve, symbols

x = symbols("x")
print(solve(x**2 - 5 * x + 6, x), diff(sin(x) * x, x), limit(sin(x) / x, x, 0), latex(x**2 / 3))
integrate(x**2, x)
