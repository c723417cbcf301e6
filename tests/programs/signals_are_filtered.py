#: environment: data
#: artifact: clean.wav audio/x-wav
#: wall_time: 30s
import numpy as np
from scipy import ndimage, signal, sparse, spatial, stats
from scipy.io import wavfile

rate = 2000
t = np.arange(rate) / rate
noisy = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 300 * t)
b, a = signal.butter(4, 30, fs=rate)
clean = signal.filtfilt(b, a, noisy)
print(len(signal.find_peaks(clean)[0]), round(float(np.abs(clean[200:-200] - np.sin(2 * np.pi * 5 * t)[200:-200]).max()), 2))
wavfile.write("clean.wav", rate, (clean * 20000).astype(np.int16))
print(wavfile.read("clean.wav")[0], ndimage.label([[1, 0, 1], [0, 0, 1]])[1])
matrix = sparse.csr_matrix(np.eye(4))
print(matrix.nnz, matrix.dot(np.ones(4)).tolist(), spatial.KDTree([[0, 0], [3, 4]]).query([3, 3])[1] == 1)
print(round(float(stats.pearsonr([1, 2, 3, 4], [2, 4, 5, 9])[0]), 4), round(float(stats.chi2_contingency([[10, 20], [20, 10]])[1]), 4))
