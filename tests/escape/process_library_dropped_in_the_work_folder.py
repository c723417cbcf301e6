#: title: dlopen a shared object dropped in the work folder
#: breaks: the work mount must be noexec: mmap(PROT_EXEC) of its files then fails
#: severity: medium
#: status: ok
#: artifact: evil.so
#: prints: refused
#: control: ESCAPED
import ctypes, shutil, glob, _ctypes
src = _ctypes.__file__
shutil.copy(src, "evil.so")
try: ctypes.CDLL("./evil.so"); print("ESCAPED loaded from the work folder")
except OSError as e: print("refused", str(e)[:80])
