#: title: star-import and shadowed names
#: breaks: aliases must be resolved
#: severity: medium
#: check: flag
#: status: violation
#: violation: process interrupt
#: control: ESCAPED
from os import *
from subprocess import run as print_table
system("echo ESCAPED")
print_table(["id"])
