#: environment: base
import struct
from array import array

header = struct.Struct(">4sHHI")
packet = header.pack(b"DATA", 1, 3, 0xDEADBEEF) + b"\x01\x02\x03"
magic, version, length, crc = header.unpack_from(packet)
print(magic, version, length, hex(crc), header.size)
view = memoryview(bytearray(packet))
view[4:6] = b"\x00\x07"
print(bytes(view[4:6]).hex(" "), view[-3:].tolist(), int.from_bytes(packet[:4], "big"), (1000).to_bytes(3, "little"))
numbers = array("d", [1.5, 2.5])
numbers.extend([3.5])
print(numbers.itemsize * len(numbers), memoryview(numbers)[2], sum(numbers))
print("naïve".encode("utf-16-le").hex(), bytes.fromhex("63 61").decode(), "€".encode("cp1252"))
