#: title: CPU spin in C holding the GIL
#: breaks: signal handlers never run; SIGALRM-in-Python time limits fail
#: severity: high
#: check: flag
#: status: timeout
#: wall_time: 500ms
sum(range(10 ** 13))
