"""A Jupyter kernel whose cells run in the sandbox; it comes with `execute-python[jupyter]`."""
