#: title: decorator and default argument execution
#: breaks: Langflow CVE-2025-3248 and LangChain #21592: code runs at definition time; a 'validate' endpoint must never execute
#: severity: medium
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
@exec
@"__import__('os').system('echo ESCAPED')".format
def f(): pass
def g(x=__import__("os").getpid()): pass
