#: environment: data
#: displays: text/html
#: displays: text/plain
#: wall_time: 30s
from IPython.display import HTML, display

display(HTML("<b>bold</b>"))
display(42)
