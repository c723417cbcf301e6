#: title: hash collision dictionary
#: breaks: quadratic insertion
#: severity: low
#: status: timeout | ok
#: wall_time: 500ms
d = {}
for i in range(60000): d[i * (2 ** 61 - 1)] = 1
print(len(d))
