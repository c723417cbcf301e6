#: environment: data
#: displays: image/png
#: wall_time: 30s
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 1, 50)
fig, (a, b) = plt.subplots(1, 2)
a.plot(x, x**2, label="square")
a.legend()
b.hist(np.random.default_rng(0).normal(size=200), bins=20);
