#: title: abort and segfault
#: breaks: session ends or restarts; zygote unharmed
#: severity: medium
#: status: crashed
#: signal: 11
import ctypes
ctypes.string_at(0)
