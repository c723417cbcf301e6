#: title: multiprocessing.Process
#: breaks: fork start method
#: severity: high
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import multiprocessing as mp
def f(): print("ESCAPED")
p = mp.get_context("fork").Process(target=f); p.start(); p.join()
