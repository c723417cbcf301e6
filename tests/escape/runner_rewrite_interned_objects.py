#: title: rewrite interned objects
#: breaks: results computed afterwards are lies by the guest about itself; next tenant must have 1 == 1
#: severity: high
#: status: ok | crashed
import ctypes
ctypes.memset(id(1) + 24, 2, 1)
print("1 is now", 1, "and 1 == 2:", 1 == 2)
