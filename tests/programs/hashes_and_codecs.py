#: environment: base
import base64, binascii, hashlib, hmac, secrets, struct, zlib

print(hashlib.sha256(b"abc").hexdigest()[:16], hashlib.blake2b(b"abc", digest_size=8).hexdigest())
print(base64.b64encode(bytes(range(8))).decode(), binascii.hexlify(b"hi").decode())
print(struct.unpack("<IhB", struct.pack("<IhB", 7, -2, 255)), zlib.crc32(b"abc"))
print(hmac.new(b"k", b"m", "sha1").hexdigest()[:8], len(secrets.token_hex(8)))
