#: environment: data
#: artifact: wave.gif image/gif
#: displays: image/png
#: wall_time: 30s
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter

fig = plt.figure(figsize=(7, 3))
ax = fig.add_subplot(121, projection="3d")
X, Y = np.meshgrid(np.linspace(-2, 2, 20), np.linspace(-2, 2, 20))
ax.plot_surface(X, Y, np.exp(-(X**2) - Y**2), cmap="magma")
fig.add_subplot(122, projection="polar").plot(np.linspace(0, 6.28, 50), np.linspace(0, 1, 50))
plt.show()

fig, ax = plt.subplots(figsize=(3, 2))
x = np.linspace(0, 6.28, 60)
(line,) = ax.plot(x, np.sin(x))


def update(frame):
    line.set_ydata(np.sin(x + frame / 2))
    return (line,)


FuncAnimation(fig, update, frames=6, blit=True).save("wave.gif", writer=PillowWriter(fps=10))
plt.close(fig)
print("done")
