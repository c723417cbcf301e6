#: environment: base
#: artifact: bundle.zip application/zip
import zipfile

with zipfile.ZipFile("bundle.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("a.txt", "alpha " * 100)
    archive.writestr("folder/b.txt", "beta")
with zipfile.ZipFile("bundle.zip") as archive:
    print(archive.namelist(), archive.testzip(), len(archive.read("a.txt")))
