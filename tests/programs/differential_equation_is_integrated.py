#: environment: data
#: wall_time: 30s
import numpy as np
from scipy.integrate import odeint, solve_ivp

solution = solve_ivp(lambda t, y: [y[1], -y[0]], (0, np.pi), [0.0, 1.0], rtol=1e-8, atol=1e-10)
print(solution.success, np.abs(solution.y[:, -1] - [0, -1]).max() < 1e-5)
growth = odeint(lambda y, t: 0.5 * y, 1.0, [0, 2])
print(round(float(growth[-1, 0]), 4))
