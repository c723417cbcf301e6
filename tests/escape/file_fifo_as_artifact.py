#: title: FIFO artefact blocks the collector
#: breaks: open() of a FIFO without O_NONBLOCK hangs the host
#: severity: high
#: status: ok
#: control: made fifo
import os
try: os.mkfifo("pipe.txt"); print("made fifo")
except OSError as e: print(type(e).__name__)
