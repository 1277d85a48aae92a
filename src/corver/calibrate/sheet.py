"""Sheets for hand annotation: sampled sentences in, CSV out, and labelled CSV in, labels out.

In: sentences, or a sheet that people filled in with any spreadsheet. Out: CSV bytes, or rows of id and label. Count,
level and reward stand in no sheet unless they are asked for, so that they lead nobody. A cell that a spreadsheet would
take for a formula gets an apostrophe in front. This module knows no strata and no statistics.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corver.calibrate.scored import ScoredSentence
from corver.errors import InputError

__all__ = ["COLUMNS", "LABELS", "SheetRow", "parse_label", "read_sheet", "safe_cell", "sheet_bytes"]

COLUMNS = ("id", "sentence", "label", "context", "question", "note", "scorer")
SCORE_COLUMNS = ("status", "count", "level", "reward")
LABELS = ("true", "false", "unsure")
_NEEDED = ("id", "label")

_SPELLINGS = {
    "true": "true", "t": "true", "yes": "true", "y": "true", "1": "true", "1.0": "true", "correct": "true",
    "false": "false", "f": "false", "no": "false", "n": "false", "0": "false", "0.0": "false", "wrong": "false",
    "unsure": "unsure", "?": "unsure", "unclear": "unsure", "skip": "unsure",
    "wahr": "true", "falsch": "false", "vrai": "true", "faux": "false", "verdadero": "true", "falso": "false",
}  # fmt: skip
"""The last line: what spreadsheets in other languages make of a typed TRUE or FALSE."""

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_BOM = b"\xef\xbb\xbf"
_MAX_CELL = 32_000
"""Characters. Spreadsheets cut cells at 32,767."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row of a sheet. line: where it ends in the file. label: one of LABELS, any text when they are not checked,
    None when empty. cells: all columns by name."""

    line: int
    id: str
    label: str | None
    cells: Mapping[str, str]


def sheet_bytes(
    sentences: Sequence[ScoredSentence],
    *,
    before: int = 300,
    after: int = 100,
    byte_order_mark: bool = False,
    with_scores: bool = False,
) -> bytes:
    """The sheet as CSV (RFC 4180, every cell quoted).

    before, after: characters of context around the sentence, which stands between ⟦ and ⟧. byte_order_mark: for Excel,
    which takes a file without one for something other than UTF-8. with_scores: show the verdicts too; annotators are
    then not blind.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    shown = SCORE_COLUMNS if with_scores else ()
    writer.writerow([*COLUMNS, *shown])
    for one in sentences:
        start, end = one.span
        head, tail = one.text[max(0, start - before) : start], one.text[end : end + after]
        context = f"{'…' if start > before else ''}{head}⟦{one.text[start:end]}⟧{tail}"
        context += "…" if end + after < len(one.text) else ""
        cells = [one.id, one.text[start:end], "", context, one.question or "", "", one.scorer or ""]
        cells += ["" if one.fields.get(name) is None else str(one.fields[name]) for name in shown]
        writer.writerow([safe_cell(cell) for cell in cells])
    return (_BOM if byte_order_mark else b"") + out.getvalue().encode("utf-8")


def read_sheet(path: Path, *, check: bool = True) -> list[SheetRow]:
    """The rows of a sheet that people have filled in, commas, semicolons or tabs between the cells.

    check: labels must be true, false or unsure, in one of their spellings. Raises InputError that names file and line:
    no such file, no CSV, no column `id` or `label` or two of them, an id twice, a label that is none.
    """
    text = _text(path)
    header_line = text.splitlines()[0] if text.strip() else ""
    delimiter = max(",;\t", key=header_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[SheetRow] = []
    seen: dict[str, int] = {}
    try:
        header = [name.strip().casefold() for name in next(reader, [])]
        missing = [name for name in _NEEDED if name not in header]
        if missing:
            raise InputError(f"{path}: has no column {' and no column '.join(missing)}; is it a sheet of corver?")
        twice = [name for name in _NEEDED if header.count(name) > 1]
        if twice:
            raise InputError(f"{path}: has more than one column {twice[0]}; which one counts?")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            row = _row(path, reader.line_num, dict(zip(header, cells, strict=False)), check=check)
            if row.id in seen:
                raise InputError(f"{path}:{row.line}: the id {row.id} stands in line {seen[row.id]} already")
            seen[row.id] = row.line
            rows.append(row)
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: is not CSV: {error}") from None
    if not rows:
        raise InputError(f"{path}: has no rows")
    return rows


def parse_label(value: Any) -> str | None:
    """`true`, `false`, `unsure`, or None for nothing. Raises ValueError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    word = str(value).strip().lstrip("'").casefold()
    if not word:
        return None
    if word not in _SPELLINGS:
        raise ValueError(f"{str(value)[:40]!r} is no label: write true, false or unsure, or leave it empty")
    return _SPELLINGS[word]


def _row(path: Path, line: int, cells: Mapping[str, str], *, check: bool) -> SheetRow:
    identity = cells.get("id", "").strip()
    if not identity:
        raise InputError(f"{path}:{line}: has no id")
    raw = cells.get("label", "")
    try:
        label = parse_label(raw) if check else (raw.strip() or None)
    except ValueError as error:
        raise InputError(f"{path}:{line}: {error}") from None
    return SheetRow(line, identity, label, cells)


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, expected a CSV file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if raw.startswith(b"PK"):
        raise InputError(f"{path}: is a workbook or archive; save the sheet as CSV (UTF-8)")
    try:
        return raw.decode("utf-8-sig").replace("\x00", "\ufffd")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 (byte {error.start + 1}); save it as CSV (UTF-8)") from None


def safe_cell(text: str) -> str:
    """What may stand in a cell of a spreadsheet: no NUL, no lone surrogate, no formula, not too long."""
    text = text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    if text.lstrip(" \u00a0\ufeff").startswith(_FORMULA):
        text = "'" + text
    return text if len(text) <= _MAX_CELL else text[: _MAX_CELL - 1] + "…"
