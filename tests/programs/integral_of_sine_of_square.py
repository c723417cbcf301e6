#: environment: data
#: wall_time: 30s
from scipy.integrate import quad
import numpy as np

value, error = quad(lambda x: np.sin(x**2), 0, 1)
print(value, error < 1e-10)
