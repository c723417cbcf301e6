#: environment: data
#: wall_time: 30s
import numpy as np
from scipy.optimize import curve_fit, fsolve, least_squares, linear_sum_assignment, linprog

x = np.linspace(0, 4, 40)
parameters, covariance = curve_fit(lambda x, a, b: a * np.exp(-b * x), x, 2.5 * np.exp(-1.3 * x), p0=[1, 1])
print(parameters.round(4).tolist(), covariance.shape)
best = linprog([-3, -5], A_ub=[[1, 0], [0, 2], [3, 2]], b_ub=[4, 12, 18])
print(best.x.round(4).tolist(), round(-best.fun, 4))
print(fsolve(lambda v: [v[0] + v[1] - 3, v[0] * v[1] - 2], [0.5, 3]).round(6).tolist())
print(least_squares(lambda p: p - [1, 2], [0.0, 0.0]).x.round(4).tolist())
rows, cols = linear_sum_assignment([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
print(cols.tolist())
