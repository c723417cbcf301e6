#: environment: base
from enum import Enum, Flag, IntEnum, auto, unique


@unique
class Planet(Enum):
    EARTH = (5.976e24, 6.37814e6)
    MARS = (6.421e23, 3.3972e6)

    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius

    @property
    def gravity(self):
        return 6.67300e-11 * self.mass / self.radius**2


class Access(Flag):
    READ = auto()
    WRITE = auto()
    BOTH = READ | WRITE


class Level(IntEnum):
    LOW = 1
    HIGH = 3


print([f"{p.name} {p.gravity:.2f}" for p in Planet], Planet["MARS"] is Planet.MARS)
print(Access.READ in Access.BOTH, (Access.BOTH & ~Access.READ) == Access.WRITE, Level.HIGH > 2, Level(1).name)
try:
    Level(9)
except ValueError as error:
    print(error)
