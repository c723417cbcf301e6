#: title: UDP datagram
#: breaks: no connect() needed
#: severity: high
#: check: flag
#: status: exception
#: exception: PermissionError
#: violation: network deny
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print("ESCAPED", s.sendto(b"x", ("8.8.8.8", 53)))
