#: title: netlink
#: breaks: over half of the kernel LPEs in gVisor's track record start at netlink (nf_tables, qdisc)
#: severity: critical
#: status: exception
#: exception: PermissionError
#: violation: network deny
#: control: ESCAPED
import socket
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
s.bind((0, 0))
print("ESCAPED")
