#: environment: base
import statistics as st
from fractions import Fraction

data = [2.5, 3.25, 5.5, 11.25, 11.5]
print(st.mean(data), st.median(data), round(st.stdev(data), 4), round(st.pvariance(data), 4), st.mode("aab"))
print([round(q, 3) for q in st.quantiles(range(1, 12), n=4)], round(st.geometric_mean([1, 10, 100]), 6))
print(st.mean([Fraction(1, 3), Fraction(1, 6)]), st.multimode("aabb"), round(st.NormalDist(100, 15).cdf(130), 4))
