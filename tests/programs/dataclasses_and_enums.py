#: environment: base
#: value: Order(item='pen', state=<State.PAID: 2>, tags=['new'])
from dataclasses import asdict, dataclass, field
from enum import Enum

class State(Enum):
    OPEN = 1
    PAID = 2

@dataclass(order=True)
class Order:
    item: str
    state: State = State.OPEN
    tags: list = field(default_factory=list)

order = Order("pen", State.PAID, ["new"])
print(asdict(order)["state"].name, Order("a") < Order("b"))
order
