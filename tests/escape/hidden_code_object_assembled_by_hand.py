#: title: code object assembled by hand
#: breaks: no AST of the inner code exists before the run
#: severity: medium
#: check: flag-dynamic
#: status: violation | exception
#: violation: process interrupt
#: control: : x: not found
import types
def t(): return 0
c = t.__code__.replace(co_consts=(None, "os", "system", "echo ESCAPED"))
print(types.FunctionType(c, {})())
exec(compile("import o\x73\no\x73.system('x')", "x", "exec"))
