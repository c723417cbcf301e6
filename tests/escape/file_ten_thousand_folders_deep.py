#: title: directory ten thousand levels deep
#: breaks: a recursive collector or remover overflows its stack or PATH_MAX (isolate 4cc2e1b replaced nftw for this)
#: severity: medium
#: status: ok
import os
n = 0
try:
    while n < 10000: os.mkdir("d"); os.chdir("d"); n += 1
except OSError as e: print(type(e).__name__, e.errno)
print("depth", n)
