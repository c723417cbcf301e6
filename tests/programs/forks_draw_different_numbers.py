#: environment: base
import random, secrets, uuid

print(len({random.random(), random.random()}), len({uuid.uuid4(), uuid.uuid4()}), len(secrets.token_bytes(16)))
