#: title: constant folding bomb
#: breaks: compile() itself allocates: compile inside the sandbox, never in the supervisor
#: severity: medium
#: status: ok
def f():
    return ("a" * 4096 * 4096)
print(len(f()))
