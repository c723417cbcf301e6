#: environment: data
#: wall_time: 30s
import numpy as np

A = np.array([[3.0, 2, -1], [2, -2, 4], [-1, 0.5, -1]])
b = np.array([1.0, -2, 0])
print(np.linalg.solve(A, b).round(6).tolist(), round(float(np.linalg.det(A)), 6), int(np.linalg.matrix_rank(A)))
U, s, Vt = np.linalg.svd(A)
print(bool(np.allclose(U @ np.diag(s) @ Vt, A)), bool(np.allclose(np.linalg.inv(A) @ A, np.eye(3))))
Q, R = np.linalg.qr(A)
print(bool(np.allclose(Q @ R, A)), np.linalg.eigvalsh([[2, 1], [1, 2]]).round(6).tolist())
x = np.arange(5.0)
print(np.polyfit(x, 2 * x**2 - x + 3, 2).round(6).tolist(), np.roots([1, -3, 2]).round(6).tolist())
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print(error)
big = np.ones((300, 300))
print(float((big @ big).sum()))
