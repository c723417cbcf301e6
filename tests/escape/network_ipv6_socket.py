#: title: IPv6 socket
#: breaks: note: importing requests/urllib3 does exactly this as a probe (see benign-009)
#: severity: medium
#: check: flag
#: status: exception
#: exception: PermissionError
#: violation: network deny
import socket
print("ESCAPED", socket.socket(socket.AF_INET6, socket.SOCK_STREAM))
