#: environment: base
import ast
import operator
import re

OPERATORS = {"+": (1, operator.add), "-": (1, operator.sub), "*": (2, operator.mul), "/": (2, operator.truediv)}


def evaluate(text):
    tokens = re.findall(r"\d+\.?\d*|[-+*/()]", text)

    def primary():
        token = tokens.pop(0)
        if token == "(":
            value = expression(1)
            tokens.pop(0)
            return value
        return -primary() if token == "-" else float(token)

    def expression(level):
        left = primary()
        while tokens and tokens[0] in OPERATORS and OPERATORS[tokens[0]][0] >= level:
            rank, apply = OPERATORS[tokens.pop(0)]
            left = apply(left, expression(rank + 1))
        return left

    return expression(1)


for text in ("1 + 2 * 3", "(1 + 2) * 3", "10 / 4 - 1", "2 * -(3 - 5)"):
    print(f"{text} = {evaluate(text):g}")
    assert evaluate(text) == eval(compile(ast.parse(text, mode="eval"), "<check>", "eval"))
