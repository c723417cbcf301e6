#: environment: data
#: wall_time: 30s
import urllib.error
import urllib.request

import requests
from requests.adapters import HTTPAdapter

session = requests.Session()
session.headers["User-Agent"] = "report/1.0"
session.mount("https://", HTTPAdapter(max_retries=0))
prepared = session.prepare_request(requests.Request("POST", "https://api.example.com/v1", json={"a": [1]}))
print(prepared.method, prepared.body, prepared.headers["Content-Type"], prepared.headers["User-Agent"])
try:
    session.send(prepared, timeout=3).raise_for_status()
except requests.exceptions.RequestException as error:
    print(isinstance(error, OSError), isinstance(error, requests.exceptions.ConnectionError))
try:
    urllib.request.urlopen("http://example.com", timeout=3)
except urllib.error.URLError as error:
    print("URLError", isinstance(error.reason, OSError))
