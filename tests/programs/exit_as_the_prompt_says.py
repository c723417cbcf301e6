#: environment: base
#: status: exited
#: exit_code: 0
print("bye")
exit()
