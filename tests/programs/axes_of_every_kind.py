#: environment: data
#: artifact: axes.pdf application/pdf
#: artifact: axes.svg image/svg+xml
#: displays: image/png
#: wall_time: 30s
import matplotlib

matplotlib.use("Agg")
import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

plt.style.use("ggplot")
fig, axes = plt.subplots(2, 3, figsize=(12, 7), constrained_layout=True)
rng = np.random.default_rng(0)
x = np.linspace(0.1, 10, 200)
axes[0, 0].plot(x, np.sin(x), "--", label=r"$\sin(x)$ and $\frac{\alpha}{\sqrt{x}}$")
axes[0, 0].legend()
axes[0, 1].scatter(rng.normal(size=80), rng.normal(size=80), c=rng.random(80), cmap="viridis")
axes[0, 2].imshow(rng.random((8, 8)))
axes[1, 0].pie([3, 2, 1], labels=["a", "b", "c"], autopct="%1.0f%%")
axes[1, 1].boxplot([rng.normal(size=50), rng.normal(1, 2, size=50)])
axes[1, 2].plot(pd.date_range("2024-01-01", periods=12, freq="MS"), range(12))
axes[1, 2].xaxis.set_major_formatter(mdates.DateFormatter("%b"))
axes[1, 2].set_yscale("symlog")
fig.suptitle("Six kinds — größer, ≥ 0 °C")
fig.savefig("axes.svg")
fig.savefig("axes.pdf", bbox_inches="tight")
print(len(fig.axes), axes[1, 0].get_aspect() in (1.0, "equal"))
