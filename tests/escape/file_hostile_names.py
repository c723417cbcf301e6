#: title: hostile file names
#: breaks: names go into JSON, HTTP headers, zip archives, logs and HTML
#: severity: high
#: status: ok
#: artifacts: any
import os
for n in (b"a\nb", b"-rf", b"\xff\xfe", b"x" * 255, b"tab\there", b"esc\x1b[31m", "\u202egnp.exe".encode(), b"..hidden", b"C:", b"con", b"<img src=x onerror=alert(1)>", b"'; drop table x;--", b"$(id)", b"`id`", b"%2e%2e%2fetc", b"..\\..\\x", b" ", b"\x7f"):
    try: open(n, "wb").write(b"1")
    except OSError as e: print(e.errno, n)
print(len(os.listdir(".")))
