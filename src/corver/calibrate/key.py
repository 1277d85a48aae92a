"""The key of a drawing: what the sheets leave out, in one JSON file beside them.

In: a `Drawing`. Out: `sheet.key.json`, which ties every id to its verdict, its stratum and the size of that stratum;
and the sheets, one an annotator. A sheet that holds labels, or a key that belongs to another drawing, is never
overwritten. This module computes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corver.calibrate.sample import Drawing, draw_key
from corver.calibrate.scored import is_sentence, text_hash
from corver.calibrate.sheet import read_sheet, sheet_bytes
from corver.errors import InputError, UsageError
from corver.runs import read_document, write_bytes

__all__ = ["Key", "find_key", "read_key", "sheet_paths", "write_drawing"]

FORMAT = "corver calibration key"
VERSION = 1
_MOST = 10**15
"""Sentences of a stratum; what is more was not written by corver."""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a drawing. strata: name to number of sentences there were. items: id to what is known of it."""

    path: Path
    scorer: str | None
    strata: Mapping[str, int]
    items: Mapping[str, Mapping[str, Any]]


def sheet_paths(output: Path, annotators: int) -> list[Path]:
    """`sheet.csv` for one, `sheet.1.csv`, `sheet.2.csv`, … for several."""
    if annotators == 1:
        return [output]
    return [output.with_name(f"{output.stem}.{number}{output.suffix}") for number in range(1, annotators + 1)]


def key_path(output: Path) -> Path:
    """Where the key of the sheets of `output` lies."""
    return output.with_suffix(".key.json")


def find_key(sheet: Path) -> Path:
    """The key beside a sheet, whether it is the only one or one of several. Raises InputError when there is none."""
    tried = [key_path(sheet), sheet.with_name(f"{sheet.stem.rpartition('.')[0]}.key.json")]
    for path in tried:
        if path.is_file():
            return path
    raise InputError(f"{sheet}: its key {tried[0].name} is not beside it; give it as --key FILE")


def write_drawing(
    drawing: Drawing,
    output: Path,
    *,
    annotators: int = 1,
    before: int = 300,
    after: int = 100,
    byte_order_mark: bool = False,
    with_scores: bool = False,
) -> tuple[list[Path], Path]:
    """Write the key, then the sheets: the same sentences for everyone, each in an order of their own.

    Returns the paths of sheets and key. The same drawing may be written again; sheets that are there then stay as they
    are. Raises UsageError before anything is written when a file that it would replace holds labels or is not of this
    drawing.
    """
    sheets, key = sheet_paths(output, annotators), key_path(output)
    content = _key_bytes(drawing)
    _refuse_loss(sheets, key, content, frozenset(drawing.stratum_of))
    write_bytes(key, content)
    for number, path in enumerate(sheets):
        if path.exists():
            continue
        order = sorted(drawing.sentences, key=lambda one: draw_key(drawing.seed, "order", str(number), one.id))
        content = sheet_bytes(
            order, before=before, after=after, byte_order_mark=byte_order_mark, with_scores=with_scores
        )
        write_bytes(path, content)
    return sheets, key


def read_key(path: Path) -> Key:
    """The key in a file. Raises InputError when it is none."""
    row = read_document(path, kind=FORMAT, version=VERSION, maker="corver calibrate sample")
    try:
        strata = {str(name): size["sentences"] for name, size in row["strata"].items()}
        fits = all(type(size) is int and 0 < size < _MOST for size in strata.values()) and all(
            is_sentence(item["verdict"]) and item["stratum"] in strata for item in row["items"].values()
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise InputError(f"{path}: is damaged; draw the sample again with the same --seed to have it written anew")
    scorer = row.get("scorer")
    return Key(path, scorer if isinstance(scorer, str) else None, strata, row["items"])


def _key_bytes(drawing: Drawing) -> bytes:
    items = {
        one.id: {
            "text_sha256": text_hash(one.text, one.question),
            "source": one.source,
            "stratum": drawing.stratum_of[one.id],
            "verdict": dict(one.fields),
        }
        for one in sorted(drawing.sentences, key=lambda one: one.id)
    }
    row = {
        "format": FORMAT,
        "version": VERSION,
        "scorer": drawing.scorer,
        "by": drawing.by,
        "seed": drawing.seed,
        "per_stratum": drawing.per_stratum,
        "strata": {name: {"sentences": size, "drawn": drawn} for name, (size, drawn) in drawing.strata.items()},
        "left_out": dict(sorted(drawing.left_out.items())),
        "items": items,
    }
    # Escaped to ASCII: a text may hold lone surrogates.
    return (json.dumps(row, indent=1, allow_nan=False) + "\n").encode("ascii")


def _refuse_loss(sheets: Sequence[Path], key: Path, content: bytes, ids: frozenset[str]) -> None:
    elsewhere = "choose another --output"
    if key.exists() and key.read_bytes() != content:
        raise UsageError(f"{key}: is the key of another drawing, which its labels need; {elsewhere}")
    for path in sheets:
        if not path.exists():
            continue
        try:
            rows = read_sheet(path, check=False)
        except InputError:
            raise UsageError(f"{path}: is there and is no sheet of corver; {elsewhere}") from None
        if {row.id for row in rows} != ids:
            labelled = sum(row.label is not None for row in rows)
            what = f"holds {labelled} labels of" if labelled else "is a sheet of"
            raise UsageError(f"{path}: {what} another drawing; {elsewhere}")
