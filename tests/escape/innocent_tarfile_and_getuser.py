#: title: tarfile.add and getpass.getuser
#: breaks: measured: glibc tries the nscd UNIX socket in getpwuid/getgrgid; AF_UNIX socket() must answer an errno quietly
#: check: no-block
#: status: ok
#: artifact: a
#: artifact: a.tgz
#: wall_time: 30s
import tarfile, getpass, os
open("a", "w").write("x")
with tarfile.open("a.tgz", "w:gz") as t: t.add("a")
try: print(getpass.getuser())
except (KeyError, OSError): print("no user")
print(os.path.getsize("a.tgz") > 0)
