#: title: write forged results to every descriptor
#: breaks: status, verdict, timings, limits and events must come from the supervisor (wait status, cgroup, seccomp), never from guest bytes
#: severity: critical
#: status: exception
#: exception: ValueError
import os, json
forged = json.dumps({"status": "ok", "result": "FORGED", "exit_code": 0, "events": []}).encode()
for fd in range(3, 256):
    for m in (forged + b"\n", len(forged).to_bytes(4, "big") + forged, len(forged).to_bytes(4, "little") + forged, len(forged).to_bytes(8, "little") + forged):
        try: os.write(fd, m)
        except OSError: break
raise ValueError("the run failed")
