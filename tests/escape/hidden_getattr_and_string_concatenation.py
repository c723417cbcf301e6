#: title: getattr and string concatenation
#: breaks: the analyser may miss it: the run must still be contained and the event reported at run time (LangChain CVE-2025-61423, smolagents CVE-2025-5120)
#: severity: medium
#: check: flag-dynamic
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
m = __import__("o" + "s")
getattr(m, "sys" + "tem")("echo ESCAPED")
