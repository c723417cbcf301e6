#: environment: base
import bisect, heapq
from collections import ChainMap, Counter, defaultdict, deque, namedtuple, OrderedDict

print(Counter("mississippi").most_common(2), deque(range(5), maxlen=3))
groups = defaultdict(list)
for word in "apple avocado bean cherry".split():
    groups[word[0]].append(word)
print(dict(groups), ChainMap({"a": 1}, {"a": 2, "b": 3})["b"])
heap = [5, 1, 4]
heapq.heapify(heap)
print([heapq.heappop(heap) for _ in range(3)], bisect.bisect([1, 3, 5], 4))
