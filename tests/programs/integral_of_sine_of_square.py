#: environment: data
#: wall_time: 30s
from scipy.integrate import quad
import numpy as np

value, error = quad(lambda x: np.sin(x**2), 0, 1)
print(value, error < 1e-10)
# Some write it with a last bit more; the true value, 0.310268301723381102, is nearer to ours.
print(value == 0.31026830172338116 or np.nextafter(value, 1) == 0.31026830172338116)
