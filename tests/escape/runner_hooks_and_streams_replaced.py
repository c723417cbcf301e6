#: title: unraisable and except hooks, displayhook, stdout object
#: breaks: error text and status are taken before or beside guest-replaced hooks
#: severity: high
#: status: exception
#: exception: ValueError
import sys
class O:
    def write(self, s): raise SystemExit(0)
    def flush(self): raise SystemExit(0)
sys.stdout = sys.stderr = O()
sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *a: None
raise ValueError("hidden")
