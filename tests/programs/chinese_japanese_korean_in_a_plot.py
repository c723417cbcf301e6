#: environment: data
#: artifact: cjk.png image/png
#: wall_time: 30s
import warnings
warnings.simplefilter("error")
import matplotlib.pyplot as plt

plt.plot([1, 2, 3])
plt.title("销售额 売上高 매출")
plt.xlabel("−1 ± 温度 °C")
plt.savefig("cjk.png")
plt.close()
