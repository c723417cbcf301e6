#: environment: base
import random, statistics

random.seed(42)
draws = [random.gauss(10, 2) for _ in range(1000)]
print(round(statistics.mean(draws), 1), round(statistics.stdev(draws), 1))
print(random.sample(range(100), 3), random.choice("abc"))
