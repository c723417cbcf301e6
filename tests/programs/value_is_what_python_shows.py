#: environment: base
#: value: {'a': [1, 2], 'b': ('x', None)}
{"a": [1, 2], "b": ("x", None)}
