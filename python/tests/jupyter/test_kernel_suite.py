# pyright: basic
# What the libraries of Jupyter give has no types that pyright could be strict about.
"""The kernel, by the suite that Jupyter gives to authors of kernels."""

import jupyter_kernel_test


class TestKernel(jupyter_kernel_test.KernelTests):
    kernel_name = "execute-python"
    language_name = "python"
    file_extension = ".py"
    code_hello_world = "print('hello, world')"
    code_stderr = "import sys; print('test', file=sys.stderr)"
    completion_samples = [{"text": "zi", "matches": {"zip"}}]
    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n\n"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2"]
    invalid_code_samples = ["import = 7q"]
    code_page_something = "zip?"
    code_generate_error = "raise ValueError('no')"
    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"},
    ]
    code_display_data = [
        {"code": "class P:\n  def _repr_html_(self): return '<b>x</b>'\ndisplay(P())", "mime": "text/html"}
    ]
    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "1?2*"
    code_inspect_sample = "zip"
