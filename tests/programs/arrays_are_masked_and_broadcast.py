#: environment: data
#: wall_time: 30s
import io

import numpy as np

np.random.seed(0)
print(np.random.rand(3).round(4).tolist(), np.random.randint(0, 10, 4).tolist())
print(np.random.default_rng(42).integers(0, 100, 5).tolist())
a = np.array([1.0, np.nan, 3.0])
print(float(np.nansum(a)), np.where(np.isnan(a), 0, a).tolist(), (np.arange(3)[:, None] * np.arange(4)).sum(axis=1).tolist())
print(np.genfromtxt(io.StringIO("x,y\n1,2\n3,"), delimiter=",", skip_header=1, filling_values=-1).tolist())
people = np.array([("Ann", 31), ("Bob", 25)], dtype=[("name", "U10"), ("age", "i4")])
print(np.sort(people, order="age")["name"].tolist(), np.unique([3, 1, 3], return_counts=True)[1].tolist())
spectrum = np.abs(np.fft.rfft(np.sin(2 * np.pi * 5 * np.arange(100) / 100)))
print(int(spectrum.argmax()), np.histogram([1, 2, 2, 5], bins=[0, 2, 4, 6])[0].tolist(), np.cumsum([1, 2, 3]).tolist())
with np.errstate(divide="raise"):
    try:
        np.array([1.0]) / 0
    except FloatingPointError as error:
        print(error)
print(np.array([200], dtype=np.uint8).astype(np.int8).tolist(), np.datetime64("2024-03-01") - np.datetime64("2024-02-01"))
