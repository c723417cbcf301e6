#: title: UNIX path socket to the host
#: breaks: mount namespace hides it; AF_UNIX refused anyway
#: severity: critical
#: check: flag
#: status: exception
#: exception: OSError
import socket
s = socket.socket(socket.AF_UNIX)
s.connect("/var/run/docker.sock")
print("ESCAPED")
