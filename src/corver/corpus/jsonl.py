"""JSON Lines as shards: byte ranges of a plain file, the whole of a packed one.

In: one JSON object a line with a text field, in UTF-8, with or without a byte-order mark, with either line end. Out:
batches, and an account of every line that gave none. A line belongs to the range in which it starts. This module knows
no other format.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from corver.corpus.document import DocumentBatch, ReadReport
from corver.corpus.records import MAX_RECORD_BYTES, BatchBuilder, Fields, note_failed, note_skipped
from corver.corpus.streams import Packing, open_plain, reading

__all__ = ["JsonlShard", "plan_jsonl"]

_BOM = b"\xef\xbb\xbf"
_LINE_NUMBER_REACH = 1 << 30
"""Up to this byte an example is given its line number, which means counting the lines before its range; a range that
starts further on gives the byte instead."""

_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class JsonlShard:
    """The lines that start in the plain bytes [start, end) of a file; end None means the end of the file."""

    path: Path
    label: str
    fields: Fields
    start: int
    end: int | None
    bytes: int
    packing: Packing = "plain"
    max_line: int = MAX_RECORD_BYTES

    @property
    def name(self) -> str:
        """The file and the bytes."""
        return self.label if self.end is None else f"{self.label} bytes {self.start}-{self.end}"

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        """Its documents; raises `CorpusError` when packed data is damaged or ends early."""
        builder = BatchBuilder(report)
        lines = _Lines(self)
        with reading(self.path), open_plain(self.path, self.packing) as stream:
            for line in lines.read(stream):
                _take(line, lines, builder, report, self.fields)
                if builder.full:
                    yield builder.take()
        if len(builder):
            yield builder.take()


def plan_jsonl(path: Path, label: str, fields: Fields, *, packing: Packing, target_bytes: int) -> list[JsonlShard]:
    """Cut a file into shards of about `target_bytes`; a packed file is one shard, since it can only be read through."""
    size = path.stat().st_size
    if packing != "plain":
        return [JsonlShard(path, label, fields, 0, None, size, packing)]
    parts = max(1, round(size / target_bytes))
    cuts = [size * part // parts for part in range(parts + 1)]
    return [JsonlShard(path, label, fields, start, end, end - start) for start, end in itertools.pairwise(cuts)]


class _Lines:
    """The lines of a shard, and where the present one stands in the file."""

    def __init__(self, shard: JsonlShard) -> None:
        self._shard = shard
        self._number = 0
        self._before: int | None = 0 if shard.start == 0 else None
        self._offset = shard.start
        self.too_long = False

    @property
    def where(self) -> str:
        """The present line as file:line, or as file:byte far inside a large file."""
        shard = self._shard
        if self._before is None and shard.start <= _LINE_NUMBER_REACH:
            self._before = _count_lines(shard.path, shard.start)
        if self._before is None:
            return f"{shard.label}:byte {self._offset}"
        return f"{shard.label}:{self._before + self._number}"

    def read(self, stream: BinaryIO) -> Iterator[bytes]:
        """Line after line; of one that is too long only the beginning, with `too_long` set."""
        limit = self._shard.max_line
        position = 0
        if self._shard.start:
            # One byte back: a line end there means that a line starts exactly at the range's first byte.
            position = stream.seek(self._shard.start - 1)
            position += _finish(stream, limit)
        end = self._shard.end
        while end is None or position < end:
            line = stream.readline(limit)
            if not line:
                return
            self._offset = position
            self._number += 1
            position += len(line)
            self.too_long = not line.endswith(b"\n") and len(line) == limit
            if self.too_long:
                position += _finish(stream, limit)
            if self._offset == 0 and line.startswith(_BOM):
                line = line[len(_BOM) :]
            yield line


def _finish(stream: BinaryIO, limit: int) -> int:
    """Read over the rest of a line; how many bytes that was."""
    size = 0
    while True:
        rest = stream.readline(limit)
        size += len(rest)
        if not rest or rest.endswith(b"\n"):
            return size


def _count_lines(path: Path, before: int) -> int:
    """Line ends among the first `before` bytes, and one more when a line runs across that place."""
    lines = 0
    last = b""
    with path.open("rb") as file:
        while before > 0:
            block = file.read(min(before, 1 << 20))
            if not block:
                break
            lines += block.count(b"\n")
            before -= len(block)
            last = block[-1:]
    return lines + (last != b"\n")


def _take(line: bytes, lines: _Lines, builder: BatchBuilder, report: ReadReport, fields: Fields) -> None:
    """Put one line's document into the batch, or its fault into the report."""
    if lines.too_long:
        note_failed(report, "line too long", lines.where)
        return
    try:
        content = line.decode("utf-8").strip(" \t\r\n")
    except UnicodeDecodeError:
        note_failed(report, "not valid UTF-8", lines.where)
        return
    if not content:
        note_skipped(report, "blank line", lines.where)
        return
    try:
        record = _DECODER.decode(content)
    except (ValueError, RecursionError):
        note_failed(report, "not valid JSON", lines.where)
        return
    if not isinstance(record, dict):
        note_failed(report, "not a JSON object", lines.where)
        return
    if fields.text not in record:
        known = ", ".join(map(str, record)) or "none"
        note_skipped(report, f"no field {fields.text!r}", f"{lines.where} (fields: {known[:100]})")
        return
    text = record[fields.text]
    if text is None:
        report.empty += 1
    elif not isinstance(text, str):
        note_failed(report, f"field {fields.text!r} is not a string", lines.where)
    else:
        builder.add(_string(record.get(fields.title)), text, _string(record.get(fields.url)))


def _string(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
