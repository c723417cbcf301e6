#: environment: data
#: wall_time: 60s
#: cpu_time: 60s
#: memory: 512MiB
import numpy as np
import pandas as pd
import statsmodels.formula.api as smf

rng = np.random.default_rng(3)
df = pd.DataFrame({"x": rng.normal(size=120), "group": ["a", "b", "c"] * 40})
df["y"] = 1.5 * df["x"] + df["group"].map({"a": 0, "b": 2, "c": 5}) + rng.normal(scale=0.05, size=120)
fit = smf.ols("y ~ x + C(group)", data=df).fit()
print({name: round(value, 1) for name, value in fit.params.items()})
print(fit.pvalues["x"] < 0.001, "OLS Regression Results" in fit.summary().as_text())
