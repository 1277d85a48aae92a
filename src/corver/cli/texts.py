"""Texts to be scored: JSON Lines or plain text in, one item a line out, good or bad.

In: a stream of bytes. Out: for every line that is not blank an `InputText`, or a `BadLine` that says why there is
none; no line is lost and none can end the reading. Memory holds one line. Input that is not text at all (binary,
packed, UTF-16, empty) is an InputError. This module knows no scorer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, TypeAlias

from corver.errors import InputError

__all__ = ["BadLine", "InputText", "TextFormat", "read_texts"]

TextFormat: TypeAlias = Literal["auto", "jsonl", "text"]

_MAX_LINE = 64 << 20
"""Bytes. A longer line is a bad line, so that one line does not decide how much memory is taken."""

_HEAD = 4096
_BOM = b"\xef\xbb\xbf"
_MAGIC = (
    (b"\x1f\x8b", "is packed by gzip; unpack it first: gzip -dc FILE | corver score -"),
    (b"\x28\xb5\x2f\xfd", "is packed by zstd; unpack it first: zstd -dc FILE | corver score -"),
    (b"BZh", "is packed by bzip2; unpack it first: bzip2 -dc FILE | corver score -"),
    (b"PAR1", "is parquet; score reads JSON Lines or plain text"),
    (b"\xff\xfe", "is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8 FILE | corver score -"),
    (b"\xfe\xff", "is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8 FILE | corver score -"),
)


@dataclass(frozen=True, slots=True)
class InputText:
    """One text. line: counted from 1. completion: it came as one, so its think and answer tags are no text."""

    line: int
    text: str
    completion: bool = False
    question: str | None = None
    answers: tuple[str, ...] = ()
    id: Any = None


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line without a text to score, and why."""

    line: int
    reason: str


def read_texts(stream: BinaryIO, *, name: str, kind: TextFormat = "auto") -> Iterator[InputText | BadLine]:
    """Every line of a stream in order, blank ones left out.

    kind: `auto` takes the input for JSON Lines when its first line that is not blank begins with a brace. Raises
    InputError when the stream holds no line, or no text.
    """
    found = False
    for number, raw in enumerate(_lines(stream), start=1):
        if number == 1:
            raw = _checked_head(raw, name)
        if isinstance(raw, bytes) and not raw.strip():
            continue
        found = True
        if kind == "auto":
            kind = "jsonl" if raw is not None and raw.lstrip().startswith(b"{") else "text"
        yield _item(number, raw, kind)
    if not found:
        raise InputError(f'{name}: is empty; give one text a line, or JSON Lines with a "text" field')


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Lines without their ends; None for one that is too long."""
    while line := stream.readline(_MAX_LINE):
        if len(line) < _MAX_LINE or line.endswith(b"\n"):
            yield line.rstrip(b"\r\n")
            continue
        while (rest := stream.readline(_MAX_LINE)) and not rest.endswith(b"\n"):
            pass
        yield None


def _checked_head(raw: bytes | None, name: str) -> bytes | None:
    """The first line without its byte order mark; refuses what is no text. Only now, since a pipe cannot be rewound."""
    if raw is None:
        return None
    for magic, what in _MAGIC:
        if raw.startswith(magic):
            raise InputError(f"{name}: {what}")
    if b"\x00" in raw[:_HEAD]:
        raise InputError(f"{name}: is binary; score reads JSON Lines or plain text in UTF-8")
    return raw.removeprefix(_BOM)


def _item(number: int, raw: bytes | None, kind: TextFormat) -> InputText | BadLine:
    if raw is None:
        return BadLine(number, f"is longer than {_MAX_LINE >> 20} MiB")
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return BadLine(number, f"is not valid UTF-8 (byte {error.start + 1} is 0x{raw[error.start]:02x})")
    if kind != "jsonl":
        return BadLine(number, "holds a NUL byte") if "\x00" in line else InputText(number, line)
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return BadLine(number, f"is not JSON: {error.msg} at character {error.pos + 1}")
    except (ValueError, RecursionError):
        return BadLine(number, "is not JSON that can be read: a number is too long or the nesting too deep")
    if not isinstance(row, dict):
        return BadLine(number, f'is {_kind(row)}, expected an object with "text" or "completion"')
    try:
        return _of_row(number, row)
    except _WrongTypeError as error:
        return BadLine(number, str(error))


class _WrongTypeError(Exception):
    """A field of a row is not what it should be."""


def _of_row(number: int, row: dict[str, Any]) -> InputText:
    field = next((name for name in ("text", "completion") if row.get(name) is not None), None)
    if field is None:
        raise _WrongTypeError('has neither "text" nor "completion"')
    value = row[field]
    if field == "completion" and isinstance(value, list):
        value = _assistant_text(value)
    if not isinstance(value, str):
        raise _WrongTypeError(f'"{field}" is {_kind(row[field])}, expected a string')
    question = row.get("question")
    if question is not None and not isinstance(question, str):
        raise _WrongTypeError(f'"question" is {_kind(question)}, expected a string')
    answers = row.get("answers") or []
    if isinstance(answers, str):
        answers = [answers]
    if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
        raise _WrongTypeError('"answers" is not a list of strings')
    return InputText(number, value, field == "completion", question, tuple(answers), _written_back(row.get("id")))


def _written_back(identity: Any) -> Any:
    """An id as it was given, if JSON can hold it: reading takes NaN and 1e999, which are no JSON."""
    try:
        json.dumps(identity, allow_nan=False)
    except (ValueError, RecursionError):
        raise _WrongTypeError('"id" is nothing that JSON can hold') from None
    return identity


def _assistant_text(messages: list[Any]) -> str:
    """What the assistant says in a list of chat messages, its turns joined by an empty line."""
    turns = []
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise _WrongTypeError('"completion" is a list, but not of chat messages with "role" and "content"')
        if message["role"] == "assistant":
            turns.append(_content(message.get("content")))
    if not turns:
        raise _WrongTypeError('"completion" holds no message of the assistant')
    return "\n\n".join(turns)


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise _WrongTypeError('"content" of a message is neither a string nor a list of parts')
    texts = [part.get("text", "") for part in content if part.get("type", "text") == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise _WrongTypeError('"text" of a message part is not a string')
    return "".join(texts)


def _kind(value: Any) -> str:
    """A JSON value's type in the words of JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names[type(value)]
