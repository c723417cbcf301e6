#: title: line-ending and form-feed confusion
#: breaks: CR alone is a newline for Python: analyser and interpreter must agree on every line
#: severity: medium
#: status: ok
x = 1 # commentimport nothing
import os
os.getpid()print("two readers, two line counts")
