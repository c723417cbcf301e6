#: environment: data
#: displays: image/png
#: displays: image/png
#: wall_time: 30s
import matplotlib
matplotlib.use("TkAgg")
import matplotlib.pyplot as plt

for title in ("one", "two"):
    plt.figure()
    plt.bar(["a", "b"], [1, 2])
    plt.title(title)
    plt.show()
print("shown")
