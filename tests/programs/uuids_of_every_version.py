#: environment: base
import uuid

print(uuid.uuid5(uuid.NAMESPACE_DNS, "python.org"), uuid.uuid3(uuid.NAMESPACE_URL, "x").version)
print(uuid.uuid4().version, uuid.uuid1().version, uuid.uuid1() != uuid.uuid1())
print(uuid.UUID(int=1).hex, 0 < uuid.getnode() < 1 << 48)
