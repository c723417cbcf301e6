#: environment: base
import difflib
import pprint
import string
import textwrap

text = "The quick brown fox jumps over the lazy dog and runs away from the very angry bear."
print(textwrap.fill(text, width=32, initial_indent="* ", subsequent_indent="  "))
print(textwrap.shorten(text, 24), string.Template("$who owes ${n} €").substitute(who="Ann", n=5))
pprint.pprint({"name": "Zoë", "tags": ["a" * 20, "b" * 20, "c" * 20], "n": 1}, width=50)
print("\n".join(difflib.unified_diff(["a", "b"], ["a", "c"], "old", "new", lineterm="")))
print(f"{1234567.891:,.2f}|{0.256:.1%}|{255:#06x}|{'mid':^9}|{42:08b}|{3.0e-7:e}|{'é':>3}")
print(difflib.get_close_matches("appel", ["ape", "apple", "peach"]), "{:>{w}}".format("x", w=4))
