#: environment: base
#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Counts words, as a script that was written for the command line."""

from __future__ import annotations

import sys
from collections import Counter


def count(text: str) -> dict[str, int]:
    return Counter(text.lower().split())


def main() -> int:
    words = count("the quick fox and the lazy dog and the end")
    for word, n in sorted(words.items(), key=lambda item: (-item[1], item[0]))[:3]:
        print(f"{word:<6}{n:>3}")
    return 0


if __name__ == "__main__":
    main()
    print(__name__, __doc__.split(",")[0], sys.argv[0].endswith(".py"))
