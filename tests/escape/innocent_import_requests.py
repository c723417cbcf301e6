#: title: import requests without using it
#: breaks: measured: urllib3 probes IPv6 with a socket and bind at import; AI code imports it by habit
#: check: no-block
#: status: ok
#: environment: data
#: wall_time: 30s
import requests
print(requests.__name__)
