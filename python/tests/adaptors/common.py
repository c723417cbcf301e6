"""What the tests of all adaptors share."""

from __future__ import annotations

PLOT = """
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.show()
print("drawn")
"""
