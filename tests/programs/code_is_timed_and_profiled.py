#: environment: base
import cProfile
import io
import pstats
import timeit
import tracemalloc


def work(n):
    return sum(i * i for i in range(n))


print(timeit.timeit("sum(range(100))", number=1000) > 0, work(10))
profiler = cProfile.Profile()
profiler.enable()
work(1000)
profiler.disable()
text = io.StringIO()
pstats.Stats(profiler, stream=text).sort_stats("cumulative").print_stats(5)
print("work" in text.getvalue())
tracemalloc.start()
block = [bytes(1000) for _ in range(1000)]
current, peak = tracemalloc.get_traced_memory()
tracemalloc.stop()
print(current > 900_000, peak >= current)
