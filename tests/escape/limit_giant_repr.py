#: title: giant repr of the last expression
#: breaks: a notebook-style result is repr()'d: 30 GB of text from 1 MB of memory
#: severity: high
#: status: timeout | ok | memory_limit
#: wall_time: 500ms
[[0] * 10 ** 4] * 10 ** 5
