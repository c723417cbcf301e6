#: title: os.fork
#: breaks: dify-sandbox answers clone with errno 0, so fork() 'succeeds' as 0 in the parent: never use SECCOMP_RET_ERRNO(0)
#: severity: high
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import os
p = os.fork()
print("ESCAPED fork returned", p)
