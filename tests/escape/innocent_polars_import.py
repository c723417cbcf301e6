#: title: polars import
#: breaks: measured: polars' CPU check makes an executable page at import and needs cachestat -> ENOSYS; pre-import it in the zygote or use the jit profile
#: check: no-block
#: status: ok
#: wall_time: 30s
try:
    import polars as pl
    print(pl.DataFrame({"a": [1, 2]}).sum()["a"][0])
except ImportError: print("not installed")
