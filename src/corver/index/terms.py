"""Clauses as numbers: every word, phrase or set of alternatives that was asked for, resolved in all segments.

In: clauses of queries. Out: `TermTable`: the number of each clause, its occurrences in the whole index, and its row in
the list table of every segment. It counts nothing. Phrases and alternatives become lists of their own, made once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from corver.errors import UsageError
from corver.index.gather import gather_alternatives, gather_phrase_of
from corver.index.layout import OCCURRENCES
from corver.index.lists import ListTable
from corver.index.segment import Segment
from corver.text.words import words
from corver.types import Clause, Phrase

__all__ = ["TermKey", "TermTable", "clause_key"]

TermKey = str | tuple[str, ...] | frozenset[str | tuple[str, ...]]
"""A folded word; the words of a phrase; the keys of alternatives."""


def clause_key(clause: Clause) -> TermKey:
    """The clause in folded words. Raises UsageError when it holds no word at all."""
    if isinstance(clause, str):
        if clause.isascii() and clause.isalnum():
            return clause.lower()
        found = words(clause)
    elif isinstance(clause, Phrase):
        found = [word for text in clause.words for word in words(text)]
    else:
        keys = frozenset(clause_key(alternative) for alternative in clause.alternatives)
        if not keys:
            raise UsageError("a clause of alternatives needs at least one")
        return next(iter(keys)) if len(keys) == 1 else keys  # type: ignore[return-value]
    if not found:
        raise UsageError(f"the clause {clause!r} holds no word; a clause needs a letter or a digit")
    return found[0] if len(found) == 1 else tuple(found)


def key_text(key: TermKey) -> str:
    """A key as one string: for the anchor of a count, and for ties between anchors."""
    if isinstance(key, str):
        return key
    if isinstance(key, tuple):
        return " ".join(key)
    return " | ".join(sorted(key_text(alternative) for alternative in key))


class TermTable:
    """Numbers for clauses. `occurrences`: int64 (terms,), in the whole index. Tables only grow, so that a reader may
    go on with what it took.

    lists: the list table of each segment. rows: one int64 (terms,) a segment, rows in that table.
    """

    def __init__(self, segments: Sequence[Segment], *, bitmap_bytes: int) -> None:
        each = bitmap_bytes // max(1, len(segments))
        self.lists = [ListTable(segment, bitmap_bytes=each) for segment in segments]
        self.texts: list[str] = []
        self.keys: list[TermKey] = []
        self.count = 0
        self.occurrences: NDArray[np.int64] = np.zeros(1024, dtype=np.int64)
        self.rows: list[NDArray[np.int64]] = [np.zeros(1024, dtype=np.int64) for _ in segments]
        self._by_clause: dict[Clause, int] = {}
        self._by_key: dict[TermKey, int] = {}
        self._lock = threading.RLock()

    @property
    def made_bytes(self) -> int:
        """Memory of the lists that were made for phrases and alternatives."""
        return sum(table.made_bytes for table in self.lists)

    def numbers(self, clauses: Sequence[Clause]) -> list[int]:
        """The number of every clause; what is new is resolved first, words in one go."""
        known = self._by_clause
        try:
            return [known[clause] for clause in clauses]
        except KeyError:
            self.learn(clauses)
            return [known[clause] for clause in clauses]

    def learn(self, clauses: Iterable[Clause]) -> None:
        """Resolve all clauses that are not known yet."""
        with self._lock:
            fresh = {clause: clause_key(clause) for clause in clauses if clause not in self._by_clause}
            singles = [key for key in dict.fromkeys(fresh.values()) if isinstance(key, str)]
            self._add_words([key for key in singles if key not in self._by_key])
            for key in dict.fromkeys(fresh.values()):
                if key not in self._by_key:
                    self._add_made(key)
            for clause, key in fresh.items():
                self._by_clause[clause] = self._by_key[key]

    def _add_words(self, fresh: list[str]) -> None:
        if fresh:
            self._append(list(fresh), [table.find(fresh) for table in self.lists])

    def _add_made(self, key: TermKey) -> None:
        """A phrase or a set of alternatives: gather its occurrences in every segment."""
        if isinstance(key, tuple):
            self._add_words([word for word in dict.fromkeys(key) if word not in self._by_key])
            rows = [gather_phrase_of(table, [int(self.rows[s][self._by_key[w]]) for w in key], key)
                    for s, table in enumerate(self.lists)]  # fmt: skip
        else:
            for alternative in key:
                if alternative not in self._by_key:
                    if isinstance(alternative, str):
                        self._add_words([alternative])
                    else:
                        self._add_made(alternative)
            members = [(self._by_key[alternative], alternative) for alternative in key]
            rows = [gather_alternatives(table, [(int(self.rows[s][n]), a) for n, a in members])
                    for s, table in enumerate(self.lists)]  # fmt: skip
        self._append([key], [np.array([row], dtype=np.int64) for row in rows])

    def _append(self, keys: list[TermKey], rows: list[NDArray[np.int64]]) -> None:
        first, last = self.count, self.count + len(keys)
        if last > self.occurrences.size:
            self.occurrences = _grown(self.occurrences, 2 * last)
            self.rows = [_grown(column, 2 * last) for column in self.rows]
        total = np.zeros(len(keys), dtype=np.int64)
        for s, table in enumerate(self.lists):
            self.rows[s][first:last] = rows[s]
            total += table.table[rows[s], OCCURRENCES]
        self.occurrences[first:last] = total
        self.keys += keys
        self.texts += [key_text(key) for key in keys]
        self.count = last
        for number, key in enumerate(keys, first):
            self._by_key[key] = number


def _grown(array: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    larger = np.zeros(size, dtype=np.int64)
    larger[: array.size] = array
    return larger
