#: environment: data
#: stderr: loading: 100%
#: wall_time: 30s
import time

from tqdm.auto import tqdm, trange

total = 0
for n in tqdm([1, 2, 3], desc="loading"):
    time.sleep(0.01)
    total += n
with tqdm(total=100, unit="B", unit_scale=True) as bar:
    for _ in range(4):
        bar.update(25)
print(total, sum(1 for _ in trange(3, leave=False)))
