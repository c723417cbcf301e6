#: environment: base
from abc import ABC, abstractmethod
from typing import Generic, List, Protocol, TypeVar, runtime_checkable

T = TypeVar("T")


class Shape(ABC):
    @abstractmethod
    def area(self): ...

    def __lt__(self, other):
        return self.area() < other.area()


class Square(Shape):
    def __init__(self, side):
        self.side = side

    @property
    def side(self):
        return self._side

    @side.setter
    def side(self, value):
        if value < 0:
            raise ValueError("side must not be negative")
        self._side = value

    def area(self):
        return self.side**2


@runtime_checkable
class HasArea(Protocol):
    def area(self): ...


class Stack(Generic[T]):
    __slots__ = ("items",)

    def __init__(self):
        self.items: List[T] = []

    def push(self, item: T) -> "Stack[T]":
        self.items.append(item)
        return self

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


try:
    Shape()
except TypeError as error:
    print("abstract:", "area" in str(error))
print(min(Square(3), Square(2)).area(), isinstance(Square(1), HasArea), len(Stack[int]().push(1).push(2)))
try:
    Square(-1)
except ValueError as error:
    print(error)
try:
    Stack().other = 1
except AttributeError:
    print("slots hold")
