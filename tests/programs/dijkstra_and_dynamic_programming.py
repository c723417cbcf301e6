#: environment: base
import heapq
from functools import lru_cache


def dijkstra(graph, start):
    distance, heap = {start: 0}, [(0, start)]
    while heap:
        so_far, node = heapq.heappop(heap)
        if so_far > distance[node]:
            continue
        for neighbour, cost in graph[node].items():
            if (total := so_far + cost) < distance.get(neighbour, float("inf")):
                distance[neighbour] = total
                heapq.heappush(heap, (total, neighbour))
    return distance


def knapsack(items, capacity):
    best = [0] * (capacity + 1)
    for weight, value in items:
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]


@lru_cache(maxsize=None)
def edits(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(edits(a[1:], b) + 1, edits(a, b[1:]) + 1, edits(a[1:], b[1:]) + (a[0] != b[0]))


print(dijkstra({"A": {"B": 7, "C": 3}, "B": {"D": 2}, "C": {"B": 1, "D": 8}, "D": {}}, "A"))
print(knapsack([(12, 4), (2, 2), (1, 1), (1, 2), (4, 10)], 15), edits("kitten", "sitting"))
