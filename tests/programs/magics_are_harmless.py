#: environment: data
#: value: 2
#: wall_time: 30s
%matplotlib inline
%config InlineBackend.figure_format = 'retina'
import math
if True:
    %time x = 1 + 1
x
