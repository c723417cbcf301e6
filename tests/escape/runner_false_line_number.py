#: title: lie about the line number
#: breaks: file and line in reports are claims of the guest: mark them as unverified, escape them, and map them only to the submitted source
#: severity: medium
#: status: violation
#: violation: process interrupt
#: control: : x: not found
src = "\n" * 999 + "import os; os.system('x')"
exec(compile(src, "/mnt/data/innocent.py", "exec"))
