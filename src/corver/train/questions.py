"""Training questions from files and hubs, in the schemas that they are published in.

In: sources: paths of JSON Lines, JSON, CSV, TSV or parquet, or `hf://datasets/OWNER/NAME/PATTERN`. Out: Questions,
each once, with a count a source; `corver.evaluate.questions` tells what a row may look like. This module knows no
model, and not what is held out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corver.corpus.hub import PREFIX, Hub, fetch
from corver.errors import InputError
from corver.evaluate.questions import QUESTION_FIELDS, Question, parse_question
from corver.evaluate.rows import read_rows
from corver.text.words import words

__all__ = ["Mixture", "gist", "read_mixture"]

_ENDINGS = (".jsonl", ".json", ".parquet", ".csv", ".tsv")


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
        for where, row in read_rows(path, label=label, columns=QUESTION_FIELDS):
            if split is None or row.get("split") == split:
                yield parse_question(where, row)


def _files(source: str, hub: Hub | None) -> list[tuple[Path, str]]:
    if not source.startswith(PREFIX):
        return [(Path(source), source)]
    fetched = fetch(source, hub=hub, revision=None, endings=_ENDINGS, packings=())
    return [(file.path, file.label) for file in fetched]


def _made_id(question: str) -> str:
    return hashlib.sha256(question.encode()).hexdigest()[:12]
