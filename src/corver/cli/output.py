"""What commands write: results to standard output as text or JSON, words about the work to standard error.

In: rows and lines. Out: UTF-8 on standard output whatever the locale, so that JSON stays JSON in any pipe. This
module knows no command and no corver type.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["ReaderGoneError", "emit", "emit_json", "json_line", "one_line", "say", "table", "write_out"]


_JOINERS = "\u200c\u200d"
"""Letters of some scripts, and emoji, need them."""


class ReaderGoneError(Exception):
    """The process that read our standard output has ended; there is nobody left to work for."""


def say(message: str) -> None:
    """One line about the work on standard error."""
    line = one_line(message)
    if sys.stderr is None:  # print would take standard output instead
        return
    try:
        print(f"corver: {line}", file=sys.stderr, flush=True)
    except OSError:
        return  # Standard error is closed: there is no place left to complain in.


def one_line(text: str) -> str:
    """The text on one line, without what steers a terminal: names and sentences may come from a stranger's file."""
    words = " ".join(text.split())
    shown = (
        char if char.isprintable() or char in _JOINERS else char.encode("unicode_escape").decode("ascii")
        for char in words
    )
    return "".join(shown)


def json_line(row: Mapping[str, Any], *, indent: int | None = None) -> bytes:
    """A row as UTF-8 JSON with its newline. NaN is refused (ValueError); lone surrogates are escaped, not lost."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return (json.dumps(row, ensure_ascii=True, allow_nan=False, indent=indent) + "\n").encode("ascii")


def write_out(data: bytes, *, flush: bool = False) -> None:
    """Bytes to standard output. Raises ReaderGoneError when nobody reads it, OSError that names it when it is full."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    try:
        sys.stdout.buffer.write(data)
        if flush:
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise ReaderGoneError from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def emit(text: str) -> None:
    """A line of text to standard output."""
    write_out((text + "\n").encode("utf-8", "backslashreplace"))


def emit_json(row: Mapping[str, Any], *, indent: int | None = None) -> None:
    """A row to standard output as JSON."""
    write_out(json_line(row, indent=indent))


def table(rows: list[tuple[str, str]]) -> str:
    """Names and values in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in rows)
