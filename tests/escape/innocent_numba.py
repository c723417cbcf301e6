#: title: numba in the jit profile
#: breaks: needs mprotect(PROT_EXEC): fails with a clear message in the strict profile, works with jit=true
#: check: no-block
#: status: ok
#: wall_time: 30s
try:
    import numba
    print(numba.njit(lambda x: x + 1)(1))
except ImportError: print("not installed")
