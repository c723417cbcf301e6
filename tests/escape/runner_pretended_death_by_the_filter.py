#: title: fake SIGSYS death
#: breaks: a guest may pretend a security event: reports must come from the notifier or audit, and say 'raised by itself' otherwise
#: severity: low
#: status: ok
#: differs: a guest is process 1 of its namespace: a signal without a handler does nothing to it
import os, signal
signal.signal(signal.SIGSYS, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGSYS)
