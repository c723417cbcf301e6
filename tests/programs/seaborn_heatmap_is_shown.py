#: environment: data
#: displays: image/png
#: wall_time: 60s
#: cpu_time: 60s
#: memory: 512MiB
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

sns.set_theme(style="whitegrid")
rng = np.random.default_rng(0)
df = pd.DataFrame(rng.normal(size=(60, 3)), columns=["height", "weight", "age"])
df["kind"] = ["a", "b", "c"] * 20
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
sns.heatmap(df.drop(columns="kind").corr(), annot=True, cmap="coolwarm", ax=left)
sns.scatterplot(data=df, x="height", y="weight", hue="kind", ax=right)
plt.show()
print(left.get_xticklabels()[0].get_text(), len(right.get_legend().get_texts()))
