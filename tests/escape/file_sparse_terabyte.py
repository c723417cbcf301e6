#: title: sparse terabyte file
#: breaks: apparent size is free for the guest; the collector must budget by bytes read, and RLIMIT_FSIZE must cap it
#: severity: high
#: status: ok
#: artifact: sparse.bin
f = open("sparse.bin", "wb")
try:
    f.truncate(1 << 40); print("size", f.seek(0, 2))
except OSError as e: print(type(e).__name__, e.errno)
