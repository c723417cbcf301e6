#: title: cloud metadata
#: breaks: credential theft
#: severity: critical
#: check: flag
#: status: exception
#: exception: URLError
#: violation: network deny
import urllib.request
print("ESCAPED", urllib.request.urlopen("http://169.254.169.254/latest/meta-data/", timeout=2).read()[:50])
