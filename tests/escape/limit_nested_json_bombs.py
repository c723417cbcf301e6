#: title: nested JSON and pickle bombs
#: breaks: the host's own JSON parser must have a depth limit for results
#: severity: medium
#: status: ok | crashed
import json
try: json.loads("[" * 10 ** 6)
except RecursionError: print("rec")
d = 0
for _ in range(10 ** 5): d = [d]
try: json.dumps(d)
except RecursionError: print("rec2")
