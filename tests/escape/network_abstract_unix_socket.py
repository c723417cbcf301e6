#: title: abstract UNIX socket
#: breaks: abstract names follow the network namespace, not the mount namespace; X11, dbus and containerd-shim CVE-2020-15257
#: severity: critical
#: status: exception
#: exception: OSError
#: control: ESCAPED
import socket
s = socket.socket(socket.AF_UNIX)
s.connect("\0execpy-canary")
print("ESCAPED")
