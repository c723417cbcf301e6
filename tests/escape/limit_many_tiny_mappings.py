#: title: many tiny mappings
#: breaks: vm.max_map_count and VMA slab (kmem is charged to the cgroup on v2)
#: severity: medium
#: status: ok | memory_limit | timeout
#: wall_time: 500ms
import mmap
l = []
try:
    while True: l.append(mmap.mmap(-1, 4096))
except (OSError, MemoryError) as e: print(len(l), type(e).__name__)
