#: environment: base
import io, tarfile

buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
    data = "grüße".encode()
    info = tarfile.TarInfo("hello.txt")
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
buffer.seek(0)
with tarfile.open(fileobj=buffer) as archive:
    print(archive.getnames(), archive.extractfile("hello.txt").read().decode())
