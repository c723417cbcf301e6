#: title: UNIX socket artefact
#: breaks: a socket file in the artefacts can make a host program connect
#: severity: medium
#: status: ok
#: control: bound in work folder
import socket
try:
    s = socket.socket(socket.AF_UNIX); s.bind("sock.txt"); print("bound in work folder")
except OSError as e: print(type(e).__name__, e.errno)
