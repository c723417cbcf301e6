#: title: ProcessPoolExecutor
#: breaks: the call must fail at once, not hang until the wall limit
#: severity: medium
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(1) as e: print("ESCAPED", e.submit(int, "3").result())
