#: title: globals of a harmless function
#: breaks: modules re-export os
#: severity: medium
#: check: flag-dynamic
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
import random
random._os.system("echo ESCAPED")
