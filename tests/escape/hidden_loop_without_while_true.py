#: title: infinite loops without while True
#: breaks: static loop detection is heuristic: itertools, iter(int, 1), recursion, generators
#: severity: low
#: check: flag
#: status: timeout
#: wall_time: 500ms
import itertools
for _ in itertools.count(): pass
