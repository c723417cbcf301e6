#: environment: data
#: wall_time: 60s
#: cpu_time: 60s
from joblib import Memory, Parallel, delayed

print(Parallel(n_jobs=1)(delayed(pow)(n, 2) for n in range(5)))
print(Parallel(n_jobs=2, prefer="threads")(delayed(str)(n) for n in range(3)))
