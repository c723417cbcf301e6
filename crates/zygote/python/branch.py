"""What a branch of a session sets right: the files that are open, and the working directory, are still
those of the work folder that it came from, and become those of its own.
"""

import os as _os
import stat as _stat

from _execute_python.errors import BUILTINS as __builtins__

_FOLDERS = ("/mnt/data", "/mnt/tmp", "/mnt/home", "/mnt/shm")
_FIRST, _LAST = 6, 500
_KEPT_FLAGS = _os.O_ACCMODE if hasattr(_os, "O_ACCMODE") else 3
_KEPT_FLAGS |= _os.O_APPEND | _os.O_NONBLOCK


def before():
    """The working directory, and each open file of the work folder with its path."""
    files = {}
    for number in range(_FIRST, _LAST):
        try:
            status = _os.fstat(number)
        except OSError:
            continue
        if _stat.S_ISREG(status.st_mode):
            files[number] = (status.st_dev, status.st_ino)
    try:
        folder = _os.getcwd()
    except OSError:
        folder = _FOLDERS[0]
    return folder, _paths(files) if files else {}


def _paths(files):
    wanted = set(files.values())
    found = {}
    for top in _FOLDERS:
        for folder, _, names in _os.walk(top):
            for name in names:
                path = _os.path.join(folder, name)
                try:
                    status = _os.lstat(path)
                except OSError:
                    continue
                if (status.st_dev, status.st_ino) in wanted:
                    found[status.st_dev, status.st_ino] = path
    return {number: found[key] for number, key in files.items() if key in found}


def after(folder, paths):
    """Opens the files anew at their numbers, each where it stood."""
    import fcntl

    for number, path in paths.items():
        try:
            place = _os.lseek(number, 0, _os.SEEK_CUR)
            flags = fcntl.fcntl(number, fcntl.F_GETFL) & _KEPT_FLAGS
            opened = _os.open(path, flags)
            _os.lseek(opened, place, _os.SEEK_SET)
            _os.dup2(opened, number, inheritable=_os.get_inheritable(number))
            _os.close(opened)
        except OSError:
            # Made in a way that cannot be repeated: it stays the file of the other folder.
            continue
    try:
        _os.chdir(folder)
    except OSError:
        _os.chdir(_FOLDERS[0])
