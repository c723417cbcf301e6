#: title: every address family
#: breaks: allowlist, not denylist: new families (MCTP, SMC, XDP, RxRPC CVE-2026-43500) appear
#: severity: high
#: status: ok
#: violation: network deny
#: prints: done
#: control: ESCAPED
import socket
for fam in range(0, 64):
    for typ in (1, 2, 3, 5):
        try: socket.socket(fam, typ, 0); print("ESCAPED family", fam, typ)
        except (OSError, OverflowError): pass
print("done")
