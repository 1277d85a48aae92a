"""Training questions from files and hubs, in the schemas that they are published in.

In: sources: paths of JSON Lines, JSON, CSV, TSV or parquet, or `hf://datasets/OWNER/NAME/PATTERN`. Out: Questions,
each once, with a count a source. Rows may be corver's own (`question`, `answers`, `id`, `split`), NQ-Open's
(`question`, `answer`) or WebQuestions' (`question`, `answers`, `url`; or `utterance`, `targetValue`, as first
published). This module knows no model, and not what is held out.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corver.corpus.hub import PREFIX, Hub, fetch
from corver.errors import CorpusError, DependencyError, InputError
from corver.evaluate.questions import Question
from corver.text.words import words

__all__ = ["Mixture", "gist", "read_mixture"]

_ENDINGS = (".jsonl", ".json", ".parquet", ".csv", ".tsv")
_DESCRIPTION = re.compile(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^()]*))\)')
_PARQUET_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Mixture:
    """The questions of all sources, each once, in order. read: rows taken from each source. repeated: rows whose
    question had been read before, whatever its case, punctuation and accents; their answers were added to it."""

    questions: tuple[Question, ...]
    read: dict[str, int]
    repeated: int


def gist(question: str) -> str:
    """The question without what makes two spellings of it differ: case, punctuation, accents."""
    return " ".join(words(question))


def read_mixture(sources: Sequence[str], *, split: str | None = None, hub: Hub | None = None) -> Mixture:
    """All questions of the sources. split: only rows whose `split` is this.

    An id that two sources give to different questions stays with the first; the other gets one made from its words.
    Raises InputError naming file and row of the first one that is no question, for an id that stands twice in one file,
    or when a source holds nothing; CorpusError when a hub does not answer.
    """
    found: dict[str, Question] = {}
    taken: set[str] = set()
    read: dict[str, int] = {}
    repeated = 0
    for source in sources:
        rows = 0
        own: set[str] = set()
        for question, explicit in _questions_of(source, split, hub):
            rows += 1
            if explicit and question.id in own:
                raise InputError(f"{source}: question {question.id!r} stands twice in the file")
            own.add(question.id)
            key = gist(question.question) or question.question
            if key in found:
                repeated += 1
                found[key] = _merged(found[key], question)
                continue
            if question.id in taken:
                question = replace(question, id=_made_id(question.question))
            taken.add(question.id)
            found[key] = question
        if not rows:
            raise InputError(f"{source}: holds no question{f' of split {split!r}' if split is not None else ''}")
        read[source] = rows
    return Mixture(tuple(found.values()), read, repeated)


def _merged(first: Question, again: Question) -> Question:
    more = [answer for answer in again.answers if answer not in first.answers]
    return replace(first, answers=(*first.answers, *more)) if more else first


def _questions_of(source: str, split: str | None, hub: Hub | None) -> Iterator[tuple[Question, bool]]:
    for path, label in _files(source, hub):
        for where, row in _rows(path, label):
            if split is None or row.get("split") == split:
                yield _question(where, row)


def _files(source: str, hub: Hub | None) -> list[tuple[Path, str]]:
    if not source.startswith(PREFIX):
        return [(Path(source), source)]
    fetched = fetch(source, hub=hub, revision=None, endings=_ENDINGS, packings=())
    return [(file.path, file.label) for file in fetched]


def _rows(path: Path, label: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row of a file with the words that say where it stands."""
    ending = path.suffix.lower()
    if not path.is_file():
        raise InputError(f"{label}: {'is a folder' if path.is_dir() else 'no such file'} (wanted: questions)")
    try:
        if ending == ".parquet":
            yield from _parquet_rows(path, label)
        elif ending in (".csv", ".tsv"):
            yield from _table_rows(path, label, "\t" if ending == ".tsv" else ",")
        else:
            yield from _json_rows(path, label)
    except UnicodeDecodeError:
        raise InputError(f"{label}: is not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{label}: cannot be read: {error.strerror or error}") from None


def _json_rows(path: Path, label: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of JSON Lines, or of one JSON list."""
    with path.open(encoding="utf-8-sig") as file:
        first = next((line for line in file if line.strip()), "")
        file.seek(0)
        if first.lstrip().startswith("["):
            whole = _json(file.read(), label)
            if not isinstance(whole, list):
                raise InputError(f"{label}: expected a list of questions")
            for number, row in enumerate(whole, start=1):
                yield f"{label}: entry {number}", _object(row, f"{label}: entry {number}")
            return
        for number, line in enumerate(file, start=1):
            where = f"{label}:{number}"
            line = line.removeprefix("\ufeff")
            if line.strip():
                yield where, _object(_json(line, where), where)


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
    """Rows of a table with a line of names on top. A cell that holds several answers holds them as a JSON list."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter=delimiter)
        try:
            for row in reader:
                where = f"{label}:{reader.line_num}"
                cells = {name: value for name, value in row.items() if name is not None and value not in (None, "")}
                for name in ("answer", "answers"):
                    if str(cells.get(name, "")).startswith("["):
                        cells[name] = _json(str(cells[name]), where)
                yield where, cells
        except csv.Error as error:
            raise InputError(f"{label}:{reader.line_num}: is not a table: {error}") from None


def _parquet_rows(path: Path, label: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise DependencyError("parquet files need pyarrow: pip install 'corver[corpus]'") from error
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names = [name for name in file.schema_arrow.names if name in _FIELDS]
            number = 0
            for batch in file.iter_batches(batch_size=_PARQUET_ROWS, columns=names):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{label}: row {number}", row
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{label}: cannot be read as parquet: {' '.join(str(error).split())}") from None


_FIELDS = ("id", "question", "utterance", "answers", "answer", "targetValue", "split")


def _question(where: str, row: dict[str, Any]) -> tuple[Question, bool]:
    """The question of a row, and whether its id is the file's own."""
    asked = row.get("question", row.get("utterance"))
    if not isinstance(asked, str) or not asked.strip():
        raise InputError(f"{where}: has no question")
    answers = row.get("answers", row.get("answer"))
    if answers is None and isinstance(row.get("targetValue"), str):
        answers = [_unquoted(*match.groups()) for match in _DESCRIPTION.finditer(row["targetValue"])]
    if isinstance(answers, str):
        answers = [answers]
    if not isinstance(answers, list) or not all(isinstance(item, str) for item in answers):
        raise InputError(f"{where}: answers must be a list of strings")
    if not any(item.strip() for item in answers):
        raise InputError(f"{where}: has no answer to judge by")
    number = row.get("id")
    try:
        name = _made_id(asked) if number is None else str(number)
        "".join((name, asked, *answers)).encode()
    except UnicodeEncodeError:
        raise InputError(f"{where}: holds half a surrogate pair, which is not text") from None
    return Question(name, asked, tuple(answers)), number is not None


def _unquoted(quoted: str | None, bare: str | None) -> str:
    return re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (bare or "").strip()


def _made_id(question: str) -> str:
    return hashlib.sha256(question.encode()).hexdigest()[:12]
