"""Files that a command reads or writes by name, with `-` for the standard streams.

In: paths. Out: binary streams, and lines instead of tracebacks where a path cannot be used. A file being written has
its name only once it is whole. This module knows no format.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from corver.cli.output import write_out
from corver.errors import InputError, UsageError

__all__ = ["not_over", "reading", "writing"]


@contextmanager
def reading(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """A stream to read and what to call it in messages. Raises InputError when it cannot be read."""
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input: is closed; name a file")
        yield sys.stdin.buffer, "standard input"
        return
    try:
        file = open(path, "rb")  # noqa: SIM115  closed below; only opening is guarded
    except OSError as error:
        raise InputError(f"{path}: {_why(error)}") from None
    with file:
        yield file, path


@contextmanager
def writing(path: Path | None) -> Iterator[Callable[[bytes], None]]:
    """A function that writes bytes: to standard output for None or `-`, else to a file that appears when all is well.

    Until then the bytes lie in a hidden file beside it, which an error takes away; a file that was there keeps its
    content. Devices and pipes are written to directly. Raises OSError that names the path when it cannot be written.
    """
    if path is None or str(path) == "-":
        yield lambda data: write_out(data, flush=True)
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, expected a file to write", str(path))
    direct = target.exists() and not target.is_file()
    part = target if direct else target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        file = part.open("wb", buffering=0)
    except OSError as error:
        raise OSError(error.errno, f"cannot be written: {error.strerror}", str(path)) from None
    with file:

        def write(data: bytes) -> None:
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError as error:
                raise OSError(error.errno, f"cannot be written: {error.strerror}", str(path)) from None

        try:
            yield write
            if not direct:
                os.fsync(file.fileno())
                if target.exists():
                    part.chmod(target.stat().st_mode & 0o7777)
                part.replace(target)
        finally:
            if not direct:
                part.unlink(missing_ok=True)


def not_over(output: Path | None, *inputs: str | Path) -> None:
    """Make sure that an output replaces none of the inputs. Raises UsageError that names it."""
    if output is None:
        return
    for path in inputs:
        if os.path.realpath(output) == os.path.realpath(path) and os.path.isfile(path):
            raise UsageError(f"{output}: is read by this command and would be replaced; name another file to write")


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a folder, expected a file"
    return f"cannot be read: {error.strerror}"
