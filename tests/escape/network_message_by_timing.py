#: title: exfiltration by error text and timing only
#: breaks: named, not prevented: the caller sees timing and output by design
#: severity: info
#: status: ok
import time
for bit in "1011":
    time.sleep(0.05 if bit == "1" else 0.01)
print("done")
