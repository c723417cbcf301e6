#: environment: data
#: wall_time: 30s
import numpy as np
from scipy import fft, interpolate, linalg, optimize, stats

a = np.array([[4.0, 1.0], [2.0, 3.0]])
print(np.round(sorted(linalg.eigvals(a).real), 6).tolist(), round(float(np.linalg.det(a)), 6))
print(round(float(optimize.brentq(lambda x: x**3 - 2, 0, 2)), 6))
print(round(float(optimize.minimize(lambda v: (v[0] - 1) ** 2, [5.0]).x[0]), 3))
print(np.round(np.abs(fft.fft([1, 0, 0, 0])), 3).tolist())
print(round(float(interpolate.CubicSpline([0, 1, 2], [0, 1, 4])(1.5)), 3))
print(round(float(stats.norm.cdf(1.96)), 4), round(float(stats.ttest_1samp([5, 6, 7], 5).pvalue), 4))
