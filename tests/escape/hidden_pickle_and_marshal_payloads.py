#: title: pickle and marshal payloads
#: breaks: the analyser may miss it: the run must still be contained and the event reported at run time
#: severity: medium
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import pickle, marshal
pickle.loads(b"cos\nsystem\n(S'echo ESCAPED'\ntR.")
exec(marshal.loads(marshal.dumps(compile("import os; os.system('x')", "x", "exec"))))
