#: environment: base
class Meta(type):
    def __new__(meta, name, bases, names):
        names["made_by"] = meta.__name__
        return super().__new__(meta, name, bases, names)

class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError("must be positive")
        setattr(instance, self.name, value)

class Vector(metaclass=Meta):
    size = Positive()

    def __init__(self, *values):
        self.values, self.size = values, len(values)

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.values, other.values))

print(Vector(1, 2, 3) @ Vector(4, 5, 6), Vector.made_by)
try:
    Vector()
except ValueError as error:
    print(error)
