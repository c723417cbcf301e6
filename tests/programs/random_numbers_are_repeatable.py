#: environment: base
import random

random.seed(42)
print(random.randint(1, 100), random.random(), [random.randrange(10) for _ in range(5)])
deck = list(range(10))
random.shuffle(deck)
print(deck, random.choices("abc", weights=[5, 1, 1], k=6))
state = random.getstate()
first = random.uniform(0, 1)
random.setstate(state)
print(first == random.uniform(0, 1), random.Random("text").randint(0, 999))
