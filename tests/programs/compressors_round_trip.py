#: environment: base
import bz2, gzip, lzma, zlib

data = b"the same words again and again " * 200
for module in (bz2, gzip, lzma, zlib):
    assert module.decompress(module.compress(data)) == data
    print(module.__name__, len(module.compress(data)) < len(data) // 10)
