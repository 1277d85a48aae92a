"""Parquet files as shards: runs of row groups, and parts of row groups that are too large for one worker.

In: a parquet file with a column of text (string, large_string, dictionary, binary), such as the Hugging Face
Wikipedia sets with id, url, title, text. Out: batches whose text is the Arrow buffer itself; no Python string is made
of a text. Only the three columns asked for are read. This module knows no other format.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corver.corpus.document import DocumentBatch, ReadReport
from corver.corpus.records import BATCH_BYTES, BATCH_DOCUMENTS, Fields, note_failed
from corver.errors import CorpusError, DependencyError

__all__ = ["ParquetFacts", "ParquetShard", "plan_parquet", "survey_parquet"]

_BUFFER = 1 << 20
"""Bytes of a column read at a time: without it all of a row group, packed, would lie in memory."""
_WHOLE_GROUP = 64 << 20
"""A row group is only shared out in parts of this many bytes of plain text: every part decodes the rows before its own
too, at about ten times the speed at which a text is then indexed."""


@dataclass(frozen=True, slots=True)
class ParquetFacts:
    """What the footer of a parquet file tells: rows, and bytes of the text column once unpacked."""

    rows: int
    text_bytes: int


@dataclass(frozen=True, slots=True)
class ParquetShard:
    """Rows [first, last) counted from the start of row group `group`, over one or more row groups."""

    path: Path
    label: str
    fields: Fields
    groups: tuple[int, ...]
    first: int
    last: int
    row_offset: int
    bytes: int
    batch_rows: int

    @property
    def name(self) -> str:
        """The file and the rows."""
        return f"{self.label} rows {self.row_offset + self.first}-{self.row_offset + self.last}"

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        """Its documents; raises `CorpusError` when the file is damaged."""
        with _reading(self.path), _open(self.path) as file:
            columns, names = _columns(file.schema_arrow, self.fields, self.path)
            row = 0
            stream = file.iter_batches(
                batch_size=self.batch_rows, row_groups=list(self.groups), columns=names, use_threads=False
            )
            for table in stream:
                start, row = row, row + table.num_rows
                if row <= self.first:
                    continue
                begin = max(self.first - start, 0)
                end = min(self.last - start, table.num_rows)
                if begin < end:
                    where = _Where(self.label, self.row_offset + start + begin)
                    batch = _batch(table.slice(begin, end - begin), columns, report, where)
                    if len(batch):
                        yield batch
                if row >= self.last:
                    return


@dataclass(frozen=True, slots=True)
class _Columns:
    text: int
    title: int | None
    url: int | None


@dataclass(frozen=True, slots=True)
class _Where:
    label: str
    row: int

    def at(self, number: int) -> str:
        return f"{self.label}:row {self.row + number}"


def survey_parquet(path: Path, fields: Fields) -> ParquetFacts:
    """Read the footer. Raises `CorpusError` when the file is no parquet file or has no such text column."""
    with _reading(path), _open(path) as file:
        _columns(file.schema_arrow, fields, path)
        meta = file.metadata
        sizes = [_text_bytes(meta.row_group(number), fields) for number in range(meta.num_row_groups)]
        return ParquetFacts(meta.num_rows, sum(plain for _, plain in sizes))


def plan_parquet(path: Path, label: str, fields: Fields, *, target_bytes: int) -> list[ParquetShard]:
    """Cut a file into shards of about `target_bytes` of unpacked text, in the order of its rows.

    Small row groups are taken together; a very large one is shared out by rows.
    """
    with _reading(path), _open(path) as file:
        _columns(file.schema_arrow, fields, path)
        meta = file.metadata
        groups = [
            (meta.row_group(number).num_rows, *_text_bytes(meta.row_group(number), fields))
            for number in range(meta.num_row_groups)
        ]
    shards: list[ParquetShard] = []
    run: list[int] = []
    row = 0

    def close(upto: int) -> None:
        rows, packed, plain = (sum(groups[number][part] for number in run) for part in range(3))
        parts = max(1, min(rows, round(plain / max(target_bytes, _WHOLE_GROUP))))
        average = max(1, plain // max(1, rows))
        batch_rows = int(min(max(BATCH_BYTES // average, 16), BATCH_DOCUMENTS))
        for part in range(parts):
            first, last = rows * part // parts, rows * (part + 1) // parts
            size = packed * (part + 1) // parts - packed * part // parts
            shards.append(ParquetShard(path, label, fields, tuple(run), first, last, upto - rows, size, batch_rows))
        run.clear()

    for number, (rows, _, plain) in enumerate(groups):
        if run and sum(groups[other][2] for other in run) + plain > target_bytes:
            close(row)
        run.append(number)
        row += rows
    if run and row:
        close(row)
    return [shard for shard in shards if shard.last > shard.first]


def _text_bytes(group: Any, fields: Fields) -> tuple[int, int]:
    """Packed bytes of the columns to be read, and plain bytes of the text column, of one row group."""
    packed = plain = 0
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema in (fields.text, fields.title, fields.url):
            packed += column.total_compressed_size
        if column.path_in_schema == fields.text:
            plain += column.total_uncompressed_size
    return packed, plain


def _open(path: Path) -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise DependencyError(f"{path}: reading parquet needs pyarrow: pip install 'corver[corpus]'") from error
    return pyarrow.parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise CorpusError(f"{path}: there is no such file") from error
    except (OSError, ValueError) as error:  # Arrow's own exceptions derive from these two.
        line = " ".join(str(error).split())
        raise CorpusError(f"{path}: not a readable parquet file ({line[:200]}); fetch it again") from error


def _columns(schema: Any, fields: Fields, path: Path) -> tuple[_Columns, list[str]]:
    """Positions among the columns to be read, and their names. Reading keeps the order of the file."""
    import pyarrow.types as kinds

    if fields.text not in schema.names:
        raise CorpusError(f"{path}: no column {fields.text!r}; the columns are: {', '.join(schema.names) or 'none'}")
    kind = schema.field(fields.text).type
    value = kind.value_type if kinds.is_dictionary(kind) else kind
    if not (
        kinds.is_string(value)
        or kinds.is_large_string(value)
        or kinds.is_string_view(value)
        or kinds.is_binary(value)
        or kinds.is_large_binary(value)
        or kinds.is_binary_view(value)
        or kinds.is_null(value)
    ):
        raise CorpusError(f"{path}: column {fields.text!r} holds {kind}, not text; name another text field")
    names = [name for name in schema.names if name in (fields.text, fields.title, fields.url)]

    def place(name: str) -> int | None:
        return names.index(name) if name in names else None

    return _Columns(names.index(fields.text), place(fields.title), place(fields.url)), names


def _batch(table: Any, columns: _Columns, report: ReadReport, where: _Where) -> DocumentBatch:
    import pyarrow as pa
    import pyarrow.compute as pc

    text, good = _valid_text(table.column(columns.text), report, where)
    # True for null, for the empty string and for white space alone; it looks no further than the first letter.
    spaces = pc.or_(pc.fill_null(pc.utf8_is_space(text), True), pc.fill_null(pc.equal(text, ""), True))
    keep = good & ~spaces.to_numpy(zero_copy_only=False)
    kept = int(np.count_nonzero(keep))
    report.documents += kept
    report.empty += int(np.count_nonzero(good)) - kept
    titles, urls = _strings(table, columns.title), _strings(table, columns.url)
    if kept < len(text):
        text = text.filter(pa.array(keep))
        titles, urls = list(compress(titles, keep)), list(compress(urls, keep))
    buffer, offsets = _buffers(text)
    return DocumentBatch(buffer, offsets, titles, urls)


def _valid_text(column: Any, report: ReadReport, where: _Where) -> tuple[Any, NDArray[np.bool_]]:
    """The column as an array of strings known to be UTF-8, and a mask of the rows that were."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_dictionary(column.type):
        column = column.dictionary_decode()
    if kinds.is_null(column.type) or kinds.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if kinds.is_binary_view(column.type):
        column = column.cast(pa.large_binary())
    binary = kinds.is_binary(column.type) or kinds.is_large_binary(column.type)
    try:
        if binary:
            column = column.cast(pa.large_string())
        else:
            column.validate(full=True)  # Parquet does not check that a string is UTF-8.
    except pa.ArrowInvalid:
        return _repaired(column if binary else column.cast(_binary(column)), report, where)
    return column, np.ones(len(column), dtype=bool)


def _binary(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.types as kinds

    return pa.large_binary() if kinds.is_large_string(column.type) else pa.binary()


def _repaired(column: Any, report: ReadReport, where: _Where) -> tuple[Any, NDArray[np.bool_]]:
    """The slow way for a batch with broken text: rows that are not UTF-8 are counted as failed."""
    import pyarrow as pa

    texts: list[str | None] = []
    good = np.ones(len(column), dtype=bool)
    for number, value in enumerate(column):
        raw = value.as_py()
        try:
            texts.append(None if raw is None else raw.decode("utf-8"))
        except UnicodeDecodeError:
            texts.append(None)
            good[number] = False
            note_failed(report, "not valid UTF-8", where.at(number))
    return pa.array(texts, type=pa.large_string()), good


def _buffers(text: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Text buffer and offsets of a string array without nulls, whatever slice of a larger buffer it is."""
    import pyarrow.types as kinds

    if not len(text):
        return np.zeros(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, offset_buffer, data = text.buffers()
    width = np.int64 if kinds.is_large_string(text.type) else np.int32
    raw = np.frombuffer(offset_buffer, dtype=width)[text.offset : text.offset + len(text) + 1]
    offsets = raw.astype(np.int64)
    start, end = int(offsets[0]), int(offsets[-1])
    return np.frombuffer(data, dtype=np.uint8)[start:end], offsets - start


def _strings(table: Any, column: int | None) -> list[str]:
    if column is None:
        return [""] * table.num_rows
    column_array = table.column(column)
    try:
        values = column_array.to_pylist()
    except UnicodeDecodeError:
        values = column_array.cast(_binary(column_array)).to_pylist()
    return [value if isinstance(value, str) else _string(value) for value in values]


def _string(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
