#: title: matplotlib first import and savefig
#: breaks: measured: without a prebuilt font cache this runs fc-list twice (vfork), so 'fork = kill' kills the most common AI script
#: check: no-block
#: status: ok
#: artifact: p.png
#: environment: data
#: wall_time: 30s
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.plot([1, 2, 3]); plt.savefig("p.png"); print("ok")
