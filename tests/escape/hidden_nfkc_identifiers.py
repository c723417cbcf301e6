#: title: NFKC identifiers
#: breaks: Python normalises identifiers with NFKC; an analyser comparing raw text sees no 'os.system'
#: severity: high
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import os as ｏｓ
𝓸𝓼 = os
print(𝖾𝗏𝖺𝗅("1+1"))
ｏｓ.ｓｙｓｔｅｍ("echo ESCAPED")
