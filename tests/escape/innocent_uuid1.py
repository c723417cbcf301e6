#: title: uuid1
#: breaks: measured: libuuid opens an AF_UNIX and an AF_INET socket; a refusal must not end the run
#: check: no-block
#: status: ok
#: wall_time: 30s
import uuid
print(len(str(uuid.uuid1())))
