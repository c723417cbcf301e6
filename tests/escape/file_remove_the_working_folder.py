#: title: unlink the working directory itself
#: breaks: later runs of the session must still work or say the session is gone
#: severity: low
#: status: ok
import os, shutil
d = os.getcwd()
shutil.rmtree(d, ignore_errors=True)
try: os.rmdir(d)
except OSError as e: print(e.errno)
print("ok")
