#: title: hidden in a comprehension, lambda, walrus, f-string, type hint
#: breaks: annotations at module level are evaluated
#: severity: medium
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
x: __import__("os").getpid() = 1
y = [z := (lambda: f"{__import__('os').system('echo ESCAPED')}")() for _ in (1,)]
