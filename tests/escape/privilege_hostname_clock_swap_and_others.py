#: title: hostname, clock, reboot, swap, acct, quota
#: breaks: system administration calls
#: severity: high
#: arch: x86_64
#: status: violation
#: violation: privilege interrupt
import ctypes, os
L = ctypes.CDLL(None, use_errno=True)
S = L.syscall
S.restype = ctypes.c_long

for n, nr, a in (("sethostname", 170, (b"x", 1)), ("clock_settime", 227, (0, ctypes.byref((ctypes.c_long * 2)(0, 0)))), ("swapon", 167, (b"/x", 0)), ("acct", 163, (None,)), ("quotactl", 179, (0, None, 0, None)), ("vhangup", 153, ())):
    r = S(nr, *a); print(n, "ESCAPED" if r == 0 else ctypes.get_errno())
