#: environment: data
#: value_mime: text/latex
#: wall_time: 60s
#: cpu_time: 60s
import sympy as sp

x, y, n = sp.symbols("x y n")
print(sp.factor(x**3 - x), sp.expand((x + y) ** 2), sp.simplify(sp.sin(x) ** 2 + sp.cos(x) ** 2))
print(sp.solve([x + y - 3, x - y - 1], [x, y]), sp.summation(n, (n, 1, 100)), sp.series(sp.exp(x), x, 0, 4))
f = sp.Function("f")
print(sp.dsolve(f(x).diff(x) - f(x), f(x)), sp.Matrix([[1, 2], [3, 4]]).det(), sp.factorint(360))
print(sp.pi.evalf(30), sp.nsimplify("0.75"), sp.lambdify(x, x**2 + 1)(3), sp.isprime(2**31 - 1))
sp.Integral(sp.exp(-(x**2)), (x, -sp.oo, sp.oo))
