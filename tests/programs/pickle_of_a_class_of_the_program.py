#: environment: base
import copy, pickle

class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

point = Point(1, [2, 3])
again = pickle.loads(pickle.dumps(point))
print(again == point, copy.deepcopy(point) == point, Point.__module__)
