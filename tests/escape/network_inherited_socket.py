#: title: use an inherited socket
#: breaks: the control channel should be a pipe or be hidden; if a socket is there, what is written must be treated as hostile
#: severity: high
#: status: ok
#: prints: done
import socket, os
for fd in range(3, 256):
    try:
        s = socket.socket(fileno=os.dup(fd)); print("socket fd", fd, s.family); s.settimeout(0.2)
        try: s.send(b"GET /ESCAPED HTTP/1.0\r\n\r\n"); print("ESCAPED wrote to", fd)
        except OSError as e: print(e.errno)
    except OSError: pass
print("done")
