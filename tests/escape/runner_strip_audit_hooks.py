#: title: strip audit hooks with ctypes
#: breaks: PEP 578 hooks are for reports, not for enforcement
#: severity: high
#: status: ok | crashed | timeout
#: artifact: probe
#: wall_time: 500ms
import ctypes, sys
fired = []
sys.addaudithook(lambda e, a: fired.append(e) if e == "open" else None)
api = ctypes.pythonapi
try:
    base = ctypes.c_void_p.in_dll(api, "_PyRuntime"); addr = ctypes.addressof(base)
    # scan the runtime struct for a list object holding our hook and empty it
    interp = api.PyInterpreterState_Get; interp.restype = ctypes.c_void_p; p = interp()
    for off in range(0, 0x20000, 8):
        q = ctypes.c_uint64.from_address(p + off).value
        if 0x10000 < q < 1 << 47 and q % 16 == 0:
            try:
                import gc
                for o in gc.get_objects():
                    if id(o) == q and type(o) is list and o and callable(o[0]) and not isinstance(o[0], type): ctypes.c_uint64.from_address(p + off).value = 0; print("hook list cleared at", hex(off)); break
            except Exception: pass
except Exception as e: print(type(e).__name__, e)
open("probe", "w").close(); print("hook still fires" if fired else "audit hooks are gone: only kernel layers remain")
