#: title: garbage-collector thrash
#: breaks: as res-008, C code
#: severity: low
#: status: timeout
#: wall_time: 500ms
import gc
l = [[] for _ in range(10 ** 6)]
for a, b in zip(l, l[1:]): a.append(b)
while True: gc.collect()
