"""Options that several commands share, and the few values that need reading.

In: words of the command line. Out: checked values, or wrong use with a line that says what was expected. This module
knows no command.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from corver.errors import DependencyError

__all__ = [
    "PASS_THROUGH",
    "Directory",
    "JsonFlag",
    "WindowOption",
    "WordList",
    "extra_needed",
    "finite",
    "parse_bytes",
    "usable_cores",
]

PASS_THROUGH: dict[str, Any] = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Settings of commands that hand unknown `--key value` words on to the configuration."""

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of an index.", show_default=False)]
WordList = Annotated[
    list[str], typer.Argument(metavar="WORD", help="Words; quote several to make a phrase.", show_default=False)
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Write JSON for a machine to read.")]
WindowOption = Annotated[
    int, typer.Option(min=0, max=1_000_000, metavar="WORDS", help="How far apart words may stand to count as together.")
]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_MOST_BYTES = 2**63
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def finite(value: float | None) -> float | None:
    """A number as an option's callback: no NaN, which passes every bound, and no infinity."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no finite number")
    return value


def parse_bytes(text: str, *, option: str) -> int:
    """`2GiB`, `500MB`, `1.5 G`, `4096`: a size in bytes. Raises typer.BadParameter that names the option."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise typer.BadParameter(f"{text!r} is no size: write for example 500MB or 2GiB", param_hint=option)
    unit = (match[2] or "").lower()
    size = float(match[1]) * {**_UNITS, **_BINARY}[unit]
    if not 1 <= size < _MOST_BYTES:
        raise typer.BadParameter("a size must be greater than 0 and less than 2^63", param_hint=option)
    return int(size)


@contextmanager
def extra_needed(extra: str, work: str) -> Iterator[None]:
    """Around an import: a library that is not installed becomes a DependencyError that names the extra.

    A missing module of corver itself is a fault of corver and passes through.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if not library or library == "corver":
            raise
        raise DependencyError(f"{work} needs {library}: pip install 'corver[{extra}]'") from error


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
