"""Rows of a table in a file, whatever its format: JSON Lines, JSON, CSV, TSV, parquet.

In: a path, told apart by its ending. Out: each row as a mapping, with the words that say where it stands. This module
knows no questions.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from corver.errors import CorpusError, DependencyError, InputError

__all__ = ["read_rows"]

_PARQUET_ROWS = 4096


def read_rows(
    path: Path, *, label: str | None = None, columns: Sequence[str] = ()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row of a file with its place ("file.jsonl:3").

    label: how to name the file, else its path. columns: of a parquet file, those to read, of which it may lack some;
    else all. A cell of a CSV or TSV table is text. Raises InputError naming file and row, CorpusError for damaged
    parquet, DependencyError where a library is missing.
    """
    label = label or str(path)
    if not path.is_file():
        raise InputError(f"{label}: cannot be read: {'is a folder' if path.is_dir() else 'no such file'}")
    ending = path.suffix.lower()
    try:
        if ending == ".parquet":
            yield from _parquet_rows(path, label, columns)
        elif ending in (".csv", ".tsv"):
            yield from _table_rows(path, label, "\t" if ending == ".tsv" else ",")
        else:
            yield from _json_rows(path, label)
    except UnicodeDecodeError:
        raise InputError(f"{label}: is not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{label}: cannot be read: {error.strerror or error}") from None


def _json_rows(path: Path, label: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of JSON Lines, of one JSON list, or of an object that holds the list as `Data`, as TriviaQA's does."""
    with path.open(encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "").lstrip()
        file.seek(0)
        if first.startswith("["):
            yield from _listed(_json(file.read(), label), label)
            return
        if first.rstrip() == "{":
            whole = _json(file.read(), label)
            yield from _listed(whole.get("Data") if isinstance(whole, dict) else None, label)
            return
        for number, line in enumerate(file, start=1):
            where = f"{label}:{number}"
            line = line.removeprefix("\ufeff")
            if line.strip():
                yield where, _object(_json(line, where), where)


def _listed(whole: Any, label: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(whole, list):
        raise InputError(f"{label}: expected a list of questions")
    for number, row in enumerate(whole, start=1):
        yield f"{label}: entry {number}", _object(row, f"{label}: entry {number}")


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not JSON: {error}") from None


def _object(row: Any, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(f"{where}: expected an object with question and answers")
    return row


def _table_rows(path: Path, label: str, delimiter: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of a table with a line of names on top; empty cells are left out."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter=delimiter)
        try:
            for row in reader:
                cells = {name: value for name, value in row.items() if name is not None and value not in (None, "")}
                yield f"{label}:{reader.line_num}", cells
        except csv.Error as error:
            raise InputError(f"{label}:{reader.line_num}: is not a table: {error}") from None


def _parquet_rows(path: Path, label: str, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise DependencyError("parquet files need pyarrow: pip install 'corver[corpus]'") from error
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names = [name for name in file.schema_arrow.names if not columns or name in columns]
            number = 0
            for batch in file.iter_batches(batch_size=_PARQUET_ROWS, columns=names):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{label}: row {number}", row
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{label}: cannot be read as parquet: {' '.join(str(error).split())}") from None
