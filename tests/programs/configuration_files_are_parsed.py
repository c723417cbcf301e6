#: environment: base
import configparser
import io
import shlex
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

config = configparser.ConfigParser()
config.read_string("[server]\nhost = example.org\nport = 8080\nurl = http://%(host)s/\n[paths]\nhome = /srv\n")
print(config.sections(), config.getint("server", "port"), config["server"]["url"])
config["paths"]["home"] = "/home"
out = io.StringIO()
config.write(out)
print(out.getvalue().count("\n"), shlex.split("cp 'a file' b --force"))
parts = urlsplit("https://user@example.org:8443/a/b?q=caf%C3%A9&q=2#top")
print(parts.hostname, parts.port, parse_qs(parts.query), urljoin("http://a/b/c", "../d"))
print(quote("a b/ü"), urlencode({"x": 1, "y": "é"}))
