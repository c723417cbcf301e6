#: environment: data
#: wall_time: 30s
import numpy as np

grid = np.arange(12).reshape(3, 4)
print(grid.sum(axis=0).tolist(), grid[grid % 2 == 0].tolist(), (grid @ grid.T).trace().item())
print(np.einsum("ij->j", grid).tolist(), np.linalg.norm([3, 4]).item())
rng = np.random.default_rng(123)
print(rng.integers(0, 10, 5).shape, bool(np.allclose(np.fft.ifft(np.fft.fft(grid)), grid)))
np.save("a.npy", grid)
print(np.load("a.npy").shape)
import os
os.remove("a.npy")
