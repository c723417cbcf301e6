#: environment: base
#: status: exception
#: exception: ShellUnavailable: packages cannot be installed here
print("before")
!pip install requests
