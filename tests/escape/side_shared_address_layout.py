#: title: shared address layout
#: breaks: ASLR is the same in every fork of one zygote: an info leak in one run helps an exploit in another; rotate zygotes
#: severity: medium
#: status: ok
import ctypes
print(hex(id(print)), hex(ctypes.cast(ctypes.CDLL(None).malloc, ctypes.c_void_p).value))
