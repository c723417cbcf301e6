#: title: raw ICMP and SOCK_DGRAM ping
#: breaks: ping sockets need no capability
#: severity: high
#: status: ok
#: violation: network deny
import socket
for t in (socket.SOCK_RAW, socket.SOCK_DGRAM):
    try: print("ESCAPED", socket.socket(socket.AF_INET, t, socket.IPPROTO_ICMP))
    except OSError as e: print(e.errno)
