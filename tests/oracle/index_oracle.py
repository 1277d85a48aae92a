"""The slow truth for index tests: shards in memory and counts by looking at every position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corver.corpus.document import Document, DocumentBatch, ReadReport
from corver.text.words import words
from corver.types import AnyOf, Clause, Phrase


class MemoryShard:
    """Documents in memory, a few a batch."""

    def __init__(self, texts: Sequence[str], batch: int = 7) -> None:
        self.texts = texts
        self.batch = batch
        self.name = "memory"
        self.bytes = sum(map(len, texts))

    def batches(self, report: ReadReport) -> Iterator[DocumentBatch]:
        for start in range(0, len(self.texts), self.batch):
            chosen = self.texts[start : start + self.batch]
            report.documents += len(chosen)
            yield DocumentBatch.of(Document(f"title {start + i}", text) for i, text in enumerate(chosen))


def _words_of(clause: str | Phrase) -> list[str]:
    return words(clause) if isinstance(clause, str) else [w for text in clause.words for w in words(text)]


def positions(clause: Clause, document: Sequence[str]) -> set[int]:
    """Positions of a clause in one document."""
    if isinstance(clause, AnyOf):
        return set().union(*(positions(alternative, document) for alternative in clause.alternatives))
    wanted = _words_of(clause)
    return {i for i in range(len(document) - len(wanted) + 1) if list(document[i : i + len(wanted)]) == wanted}


def clause_text(clause: Clause) -> str:
    """A clause as the anchor of a count names it."""
    if isinstance(clause, AnyOf):
        return " | ".join(sorted({clause_text(alternative) for alternative in clause.alternatives}))
    return " ".join(_words_of(clause))


def true_count(query: Sequence[Clause], documents: Sequence[Sequence[str]], window: int) -> tuple[int, str]:
    """(count, anchor) by the definition: positions of the rarest clause that have all others within the window."""
    found = [[positions(clause, document) for document in documents] for clause in query]
    totals = [sum(map(len, column)) for column in found]
    anchor = min(range(len(query)), key=lambda k: (totals[k], clause_text(query[k])))
    hits = 0
    for d in range(len(documents)):
        for i in found[anchor][d]:
            hits += all(any(abs(i - j) <= window for j in column[d]) for column in found)
    return hits, clause_text(query[anchor])
