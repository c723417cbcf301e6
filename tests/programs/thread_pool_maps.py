#: environment: base
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(4) as pool:
    print(list(pool.map(lambda n: n * n, range(10))))
