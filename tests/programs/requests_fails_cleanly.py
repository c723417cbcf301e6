#: environment: data
#: wall_time: 30s
import requests

try:
    requests.get("http://example.com/data.csv", timeout=2)
except requests.exceptions.ConnectionError as error:
    print("no network, using the fallback")
print(requests.Request("GET", "http://example.com", params={"q": "a b"}).prepare().url)
