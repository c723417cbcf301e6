#: environment: data
#: artifact: pairs.svg image/svg+xml
#: wall_time: 60s
#: cpu_time: 60s
#: memory: 512MiB
import pandas as pd
import seaborn as sns

frame = pd.DataFrame({"kind": list("aabbcc"), "value": [1, 2, 2, 3, 5, 4]})
ax = sns.boxplot(data=frame, x="kind", y="value")
ax.figure.savefig("pairs.svg")
print([label.get_text() for label in ax.get_xticklabels()])
import matplotlib.pyplot as plt
plt.close("all")
