#: title: vsock
#: breaks: vsock is not namespaced: reaches the hypervisor or another sandbox; CVE-2025-21756
#: severity: critical
#: status: exception
#: exception: PermissionError
#: violation: network deny
import socket
s = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
s.connect((2, 1024))
print("ESCAPED")
