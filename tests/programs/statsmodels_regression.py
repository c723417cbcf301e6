#: environment: data
#: wall_time: 60s
#: cpu_time: 60s
#: memory: 512MiB
import numpy as np
import statsmodels.api as sm

rng = np.random.default_rng(1)
x = rng.normal(size=200)
y = 3 * x + 2 + rng.normal(scale=0.1, size=200)
fit = sm.OLS(y, sm.add_constant(x)).fit()
print(np.round(fit.params, 1).tolist(), bool(fit.rsquared > 0.99))
