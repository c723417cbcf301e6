#: environment: base
#: python: 3.10+
from dataclasses import dataclass


@dataclass
class Circle:
    radius: float


@dataclass
class Box:
    width: float
    height: float


def describe(shape):
    match shape:
        case Circle(radius=0) | Box(0, _) | Box(_, 0):
            return "nothing"
        case Circle(radius=r) if r > 100:
            return "huge"
        case Circle(r):
            return f"circle {r}"
        case Box(w, h):
            return f"box {w}x{h}"
        case {"type": str(kind), **rest}:
            return f"{kind} with {sorted(rest)}"
        case [first, *others]:
            return f"{first} and {len(others)} more"
        case _:
            return "unknown"


for item in (Circle(0), Circle(2), Circle(500), Box(1, 2), {"type": "line", "x": 1}, [1, 2, 3], 7):
    print(describe(item))
