#: environment: base
#: stdin: only line\n
#: status: exception
#: exception: EOFError: input() was called but there is nothing (more) to read
print(input())
input()
