#: environment: base
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.pool import ThreadPool


def fetch(n):
    time.sleep(0.03 * n)
    if n == 2:
        raise ValueError(f"page {n} is broken")
    return n * 10


with ThreadPoolExecutor(max_workers=4) as executor:
    futures = {executor.submit(fetch, n): n for n in (3, 1, 2)}
    for future in as_completed(futures):
        try:
            print(futures[future], future.result())
        except ValueError as error:
            print(futures[future], "failed:", error)

with ThreadPool(3) as pool:
    print(pool.map(len, ["a", "bb", "ccc"]))
