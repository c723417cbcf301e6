"""The client for asynchronous code. It only moves bytes: what they mean is known to `_wire`.

`_sync` is made from this folder by `python/make-sync`, `how.py` aside, so the two cannot drift.
"""
