#: environment: base
import mmap

with open("data.bin", "w+b") as file:
    file.write(b"\0" * 4096)
    file.flush()
    with mmap.mmap(file.fileno(), 4096) as view:
        view[10:15] = b"hello"
        print(view.find(b"hello"))
    file.seek(10)
    print(file.read(5))
import os
os.remove("data.bin")
