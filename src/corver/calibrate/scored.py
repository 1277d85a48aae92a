"""Scored texts: the JSON Lines of `corver score` in, their sentences out, one at a time.

In: paths. Out: `ScoredSentence`, each with an id that its text, question and span decide. Rows that carry an `error`
in place of a score are counted and passed over; a line that is no scored text is an InputError that names it. This
module knows no labels.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corver.errors import InputError
from corver.progress import Progress, no_progress
from corver.types import Status

__all__ = ["ScoredSentence", "as_number", "is_sentence", "iter_rows", "iter_scored", "one_scorer", "sentence_id"]

_STATUSES = tuple(status.value for status in Status)


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence as `corver score` wrote it.

    fields: the JSON of `SentenceScore`. text: the whole text it stands in. scorer: fingerprint of what scored it, None
    when the row does not say. source: the id that the row carries.
    """

    id: str
    text: str
    question: str | None
    scorer: str | None
    source: Any
    fields: Mapping[str, Any]

    @property
    def span(self) -> tuple[int, int]:
        """Half-open code-point offsets into `text`."""
        return self.fields["start"], self.fields["end"]

    @property
    def status(self) -> str:
        return str(self.fields["status"])


def sentence_id(text: str, question: str | None, start: int, end: int) -> str:
    """An id that begins with a letter (no spreadsheet takes it for a number or a formula) and names text and span."""
    return f"t{text_hash(text, question)[:16]}-{start}-{end}"


def text_hash(text: str, question: str | None) -> str:
    """SHA-256 of question and text, in hex."""
    return hashlib.sha256(f"{question or ''}\x00{text}".encode("utf-8", "surrogatepass")).hexdigest()


def one_scorer(names: Sequence[str | None], *, where: str) -> str | None:
    """The one fingerprint among `names`; None when none is known. Raises InputError when there are two."""
    known = sorted({name for name in names if name})
    if len(known) > 1:
        raise InputError(f"{where}: scored by {len(known)} scorers ({', '.join(known[:3])}); their scores do not mix")
    return known[0] if known else None


def iter_scored(
    paths: Sequence[Path], *, skipped: dict[str, int] | None = None, progress: Progress = no_progress
) -> Iterator[ScoredSentence]:
    """Every sentence of the scored texts, in order. skipped: gets the number of rows with `error`, by that name."""
    for path, number, row in iter_rows(paths, progress=progress):
        if "error" in row and "sentences" not in row:
            if skipped is not None:
                skipped["error"] = skipped.get("error", 0) + 1
            continue
        yield from _sentences(row, f"{path}:{number}")


def iter_rows(
    paths: Sequence[Path], *, stage: str = "reading", progress: Progress = no_progress
) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """Path, line number (from 1) and object of every line that is not blank. Raises InputError that names the line."""
    total = sum(_size(path) for path in paths)
    done = 0
    for path in paths:
        found = False
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                done += len(line)
                if line.strip():
                    found = True
                    yield path, number, _row(line, f"{path}:{number}")
                    progress(stage, done, total, "bytes")
        if not found:
            raise InputError(f"{path}: is empty")


def _size(path: Path) -> int:
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a folder, expected a file")
        return path.stat().st_size
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: is not valid UTF-8 (byte {error.start + 1})") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: is not JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{where}: is not JSON that can be read") from None
    if not isinstance(row, dict):
        raise InputError(f"{where}: expected an object, as corver score writes them")
    return row


def _sentences(row: Mapping[str, Any], where: str) -> Iterator[ScoredSentence]:
    text, found, question = row.get("text"), row.get("sentences"), row.get("question")
    if not isinstance(text, str) or not isinstance(found, list) or not isinstance(question, str | None):
        raise InputError(f'{where}: is no scored text: corver score writes "text" and "sentences"')
    scorer = row.get("scorer")
    for fields in found:
        if not is_sentence(fields) or fields["end"] > len(text):
            raise InputError(f'{where}: a sentence lacks "status", "start" or "end", or lies outside its text')
        yield ScoredSentence(
            id=sentence_id(text, question, fields["start"], fields["end"]),
            text=text,
            question=question,
            scorer=scorer if isinstance(scorer, str) else None,
            source=row.get("id"),
            fields=fields,
        )


def as_number(value: Any) -> float | None:
    """A JSON value as a finite number; None for anything else, truth values too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer of more than 308 digits
        return None
    return number if math.isfinite(number) else None


def is_sentence(fields: Any) -> bool:
    """Whether an object has what every scored sentence has: a status, and a span that is one."""
    if not isinstance(fields, dict) or fields.get("status") not in _STATUSES:
        return False
    start, end = fields.get("start"), fields.get("end")
    return type(start) is int and type(end) is int and 0 <= start <= end
