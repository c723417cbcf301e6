#: title: register_at_fork and import hooks
#: breaks: if the fork server ever forks a process that ran guest code, these fire
#: severity: critical
#: status: ok
import os, sys
os.register_at_fork(before=lambda: os._exit(0), after_in_child=lambda: os._exit(0), after_in_parent=lambda: os._exit(0))
sys.meta_path.insert(0, type("M", (), {"find_spec": staticmethod(lambda *a: (_ for _ in ()).throw(SystemExit(0)))}))
print("ok")
