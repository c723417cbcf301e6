#: environment: base
import re

text = "Ann <ann@example.org>, Bob <bob@example.com>; Çelik <celik@example.net>"
for match in re.finditer(r"(?P<name>\w+) <(?P<user>[^@>]+)@(?P<host>[^>]+)>", text):
    print(match["name"], match["user"], match["host"])
print(re.sub(r"(\d+)", lambda m: str(int(m[1]) * 2), "a1b22c333"))
