#: title: start-up files and library config in the work folder
#: breaks: HOME and cwd are guest-writable; libraries read config there
#: severity: medium
#: status: ok
#: artifact: .condarc
#: artifact: .netrc
#: artifact: .pdbrc
#: artifact: .pythonrc
#: artifact: fonts.conf
#: artifact: matplotlibrc
#: artifact: pip.conf
#: artifact: python._pth
#: artifact: python311.zip
#: artifact: pyvenv.cfg
#: artifact: setup.cfg
#: artifact: sqliterc
import os
for n in (".pythonrc", "matplotlibrc", "pyvenv.cfg", "setup.cfg", "pip.conf", ".netrc", ".condarc", "fonts.conf", "sqliterc", ".pdbrc", "python311.zip", "python._pth"):
    open(n, "w").write("backend: Agg\n")
print("ok")
