# Made from `_async/__init__.py` by `python/make-sync`: change that file, not this one.
"""The client for synchronous code. It only moves bytes: what they mean is known to `_wire`.
"""
