#: environment: base
#: stderr: Ran 2 tests
import unittest

class Arithmetic(unittest.TestCase):
    def test_add(self):
        self.assertEqual(1 + 1, 2)

    def test_divide(self):
        with self.assertRaises(ZeroDivisionError):
            1 / 0

result = unittest.main(argv=["x"], exit=False).result
print(result.testsRun, result.wasSuccessful())
