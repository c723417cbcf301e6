#: environment: base
import contextlib, contextvars, gc, weakref

@contextlib.contextmanager
def section(name):
    print("enter", name)
    try:
        yield name.upper()
    finally:
        print("leave", name)

with contextlib.ExitStack() as stack:
    print([stack.enter_context(section(n)) for n in "ab"])

class Node:
    pass

node = Node()
reference = weakref.ref(node)
del node
gc.collect()
print(reference() is None)
language = contextvars.ContextVar("language", default="en")
context = contextvars.copy_context()
context.run(language.set, "de")
print(language.get(), context[language])
