#: title: integer explosion
#: breaks: one bytecode, holds the GIL in C: no Python-level timer can stop it
#: severity: high
#: check: flag
#: status: timeout | memory_limit
#: wall_time: 500ms
print(9 ** 9 ** 9 > 0)
