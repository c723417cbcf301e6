"""`execute-python kernel`: installs the kernel, removes it, and runs it when Jupyter wants it."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from .._core.options import SessionOptions

try:
    from jupyter_client.kernelspec import KernelSpecManager

    from .sandbox import serve
except ImportError as error:
    print(f"error: {error}\nhint: pip install 'execute-python[jupyter]'", file=sys.stderr)
    sys.exit(2)

NAME = "execute-python"
_DISPLAY_NAME = "Python (sandbox)"


def main(arguments: list[str] | None = None) -> int:
    """Installs, removes or runs the kernel."""
    parser = argparse.ArgumentParser("execute-python kernel", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--install", action="store_true", help="tell Jupyter of the kernel")
    what.add_argument("--uninstall", action="store_true", help="undo that")
    what.add_argument("-f", dest="connection", metavar="FILE", help="run; this is what Jupyter says")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--prefix", help="where Jupyter is installed, in place of the user's own folder")
    where.add_argument(
        "--sys-prefix",
        dest="prefix",
        action="store_const",
        const=sys.prefix,
        help="in the environment of this Python",
    )
    parser.add_argument("--name", default=NAME, help="the name of the kernel (%(default)s)")
    parser.add_argument("--env", default="data", help="the environment of its cells (%(default)s)")
    parser.add_argument(
        "--file", action="append", default=[], type=Path, help="a file that cells can read; may be repeated"
    )
    parser.add_argument(
        "--wall-time", type=int, default=300, help="seconds that a cell may take (%(default)s)"
    )
    parser.add_argument("--memory", type=int, default=1024, help="MiB of memory (%(default)s)")
    asked = parser.parse_args(arguments)
    if asked.install:
        return _install(asked)
    if asked.uninstall:
        KernelSpecManager().remove_kernel_spec(asked.name)
        print(f"removed the kernel `{asked.name}`", file=sys.stderr)
        return 0
    serve(asked.connection, _session_options(asked))
    return 0


def _session_options(asked: argparse.Namespace) -> SessionOptions:
    time = asked.wall_time * 1000
    return {
        "name": "jupyter",
        "environment": asked.env,
        "files": asked.file,
        "limits": {
            "wall_time_ms": time,
            "cpu_time_ms": time,
            "memory_bytes": asked.memory << 20,
        },
        "idle_timeout_ms": 24 * 3600 * 1000,
    }


def _install(asked: argparse.Namespace) -> int:
    files = [part for file in asked.file for part in ("--file", str(file.resolve(strict=True)))]
    limits = ["--wall-time", str(asked.wall_time), "--memory", str(asked.memory)]
    command = [sys.executable, "-m", "execute_python.kernel", "-f", "{connection_file}"]
    spec = {
        "argv": [*command, "--env", asked.env, *limits, *files],
        "display_name": _DISPLAY_NAME,
        "language": "python",
        "metadata": {"debugger": False},
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.json").write_text(json.dumps(spec, indent=1))
        place = KernelSpecManager().install_kernel_spec(
            folder, asked.name, user=asked.prefix is None, prefix=asked.prefix
        )
    print(f"installed the kernel `{asked.name}` in {place}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
