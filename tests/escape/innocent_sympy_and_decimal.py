#: title: sympy and decimal
#: breaks: deep recursion, many small files
#: check: no-block
#: status: ok
#: environment: data
#: wall_time: 30s
import sympy as s, decimal
x = s.symbols("x"); print(s.integrate(s.exp(-x ** 2), (x, -s.oo, s.oo)), decimal.Decimal(1) / 3)
