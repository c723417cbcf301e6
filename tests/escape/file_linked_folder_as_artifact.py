#: title: symlinked directory inside the artefact tree
#: breaks: the collector needs RESOLVE_NO_SYMLINKS|RESOLVE_BENEATH on every component, not O_NOFOLLOW on the last one
#: severity: critical
#: status: ok
import os
os.symlink("/etc", "out")
os.makedirs("a/b", exist_ok=True)
os.symlink("/", "a/b/c")
print("made")
