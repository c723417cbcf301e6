#: environment: data
#: value_mime: image/png
#: wall_time: 30s
from matplotlib.figure import Figure

figure = Figure(figsize=(3, 2))
figure.subplots().plot([1, 4, 9])
figure
