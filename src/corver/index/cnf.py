"""Counting with somebody else's engine: queries as AND over clauses of OR-ed terms, one frequency a clause.

In: queries. Out: `Count`s, from a subclass that can ask an engine two things: how often a clause occurs, and how often
clauses occur together. Answers are remembered, refusals too, so that asking again costs nothing. This module knows no
engine and no network.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

from corver.errors import LookupFailedError, UsageError
from corver.types import Clause, Count, Phrase, Query

__all__ = [
    "CnfCounter",
    "Encode",
    "Frequency",
    "RefusedError",
    "Spellings",
    "Tally",
    "Terms",
    "as_written",
    "cased",
    "read_tally",
    "usual_threads",
]

Encode: TypeAlias = Callable[[str], Sequence[int]]
"""Text to the token ids of an index; no ids for a text that the index cannot hold."""

Spellings: TypeAlias = Callable[[str], Sequence[str]]
"""The ways a text may be written in an index that does not fold case."""

Term: TypeAlias = str | tuple[int, ...]
Terms: TypeAlias = tuple[Term, ...]


def as_written(text: str) -> Sequence[str]:
    """The text itself: for an index of folded words."""
    return (text,)


def cased(text: str) -> Sequence[str]:
    """The text as it stands, in lower case, with capitals, and in capitals: for an index of ordinary text."""
    words = text.split()
    capitals = " ".join(word[:1].upper() + word[1:] for word in words)
    return tuple(dict.fromkeys((" ".join(words), text.lower(), capitals, text.upper())))


class RefusedError(LookupFailedError):
    """The engine understood and said no: asking the same again gives the same."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What an engine answered. approx: it estimated, or may have."""

    value: int
    approx: bool = False


@dataclass(frozen=True, slots=True)
class Frequency:
    """Occurrences of one clause. sampled: together with other clauses the engine would look at only some of them."""

    value: int
    approx: bool = False
    sampled: bool = False


def read_tally(answer: Any, key: str = "count") -> Tally:
    """Check the shape of an engine's answer. Raises RefusedError for its own errors, LookupFailedError for nonsense."""
    if not isinstance(answer, Mapping):
        raise LookupFailedError(f"infini-gram answered with {type(answer).__name__}, not an object")
    if "error" in answer:
        raise RefusedError(f"infini-gram: {' '.join(str(answer['error']).split())[:200]}")
    value, approx = answer.get(key), answer.get("approx", False)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0 or not isinstance(approx, bool):
        raise LookupFailedError(
            f"infini-gram's answer has no usable {key!r}: {str(value)[:40]!r}, {str(approx)[:40]!r}"
        )
    return Tally(value, approx)


class CnfCounter(ABC):
    """A `Counter` on top of two questions to an engine.

    encode: text to token ids, None where the engine takes text. spellings: how a text may be written. threads: queries
    asked at once. remembered: answers kept.
    """

    def __init__(self, *, encode: Encode | None, spellings: Spellings, threads: int, remembered: int = 100_000) -> None:
        if threads < 1:
            raise UsageError(f"{threads} threads make no sense; it must be 1 or more")
        self._encode = encode
        self._spellings = spellings
        self._threads = threads
        self._memory = _Memory(remembered)

    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of what the counts depend on."""

    @abstractmethod
    def _frequency(self, terms: Terms) -> Frequency:
        """Positions of any of the terms."""

    @abstractmethod
    def _together(self, clauses: Sequence[Terms], window: int) -> Tally:
        """Positions at which two or more clauses stand together."""

    def count_many(self, queries: Sequence[Query], *, window: int = 1000, cap: int | None = None) -> list[Count]:
        """One count a query. window: in tokens of the index; cap: values above it are cut, and say so.

        Every query is asked before the first failure is raised, so that asking for the others one by one costs nothing.
        Raises UsageError for an empty query or clause, a window below 1 or a cap below 1, else LookupFailedError.
        """
        if window < 1:
            raise UsageError(f"infini-gram has no window of {window} tokens; it must be 1 or more")
        if cap is not None and cap < 1:
            raise UsageError(f"a cap of {cap} makes no sense; it must be 1 or more")
        # Here and not in the threads: not every tokenizer may be used from several.
        prepared = [self._prepare(query) for query in queries]
        pool = ThreadPoolExecutor(min(self._threads, max(1, len(prepared))), thread_name_prefix="corver-count")
        try:
            results = list(pool.map(lambda clauses: self._result(clauses, window, cap), prepared))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        counts: list[Count] = []
        for result in results:
            if isinstance(result, LookupFailedError):
                raise result
            counts.append(result)
        return counts

    def _prepare(self, query: Query) -> dict[Terms, str] | LookupFailedError:
        """Distinct clauses of a query as terms, each with its text, in one order whatever the query's."""
        if isinstance(query, str):
            raise UsageError(f"a query is a sequence of clauses, not the text {query!r}; put it into a list")
        texts = {clause_text(clause): sorted(clause_texts(clause)) for clause in query}
        if not texts:
            raise UsageError("a query needs at least one clause")
        try:
            return {self._terms(texts[text]): text for text in sorted(texts)}
        except LookupFailedError as error:
            return error

    def _terms(self, texts: Sequence[str]) -> Terms:
        spelled = dict.fromkeys(spelling for text in texts for spelling in self._spellings(text))
        if self._encode is None:
            plain = [text for text in spelled if not {"AND", "OR"}.intersection(text.split())]
            if not plain:
                raise LookupFailedError(f"{texts[0]!r} would be read as an operator; give encode, to send token ids")
            return _without_longer(plain)
        ids = [tuple(int(number) for number in self._encode(text)) for text in spelled]
        return _without_longer([term for term in ids if term])

    def _result(
        self, clauses: Mapping[Terms, str] | LookupFailedError, window: int, cap: int | None
    ) -> Count | LookupFailedError:
        if isinstance(clauses, LookupFailedError):
            return clauses
        try:
            value, anchor, approx = self._counted(clauses, window)
        except LookupFailedError as error:
            return error
        capped = cap is not None and value >= cap
        return Count(cap if capped and cap is not None else value, capped, anchor, approx)

    def _counted(self, clauses: Mapping[Terms, str], window: int) -> tuple[int, str, bool]:
        """(value, anchor, approx) of one query."""
        frequencies = {terms: self._remembered_frequency(terms) for terms in clauses}
        anchor = min(clauses, key=lambda terms: (frequencies[terms].value, clauses[terms]))
        rarest = frequencies[anchor]
        if len(clauses) == 1 or (rarest.value == 0 and not rarest.approx):
            return rarest.value, clauses[anchor], rarest.approx
        every = tuple(clauses)
        tally = self._memory.get((every, window), lambda: self._together(every, window))
        sampled = any(frequency.sampled or frequency.approx for frequency in frequencies.values())
        return tally.value, clauses[anchor], tally.approx or sampled

    def _remembered_frequency(self, terms: Terms) -> Frequency:
        if not terms:
            return Frequency(0)
        frequency: Frequency = self._memory.get(terms, lambda: self._frequency(terms))
        return frequency


class _Memory:
    """The answers that were asked for last; those that failed for good are answers too."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, ask: Callable[[], Any]) -> Any:
        """The answer, asked for when it is not known. Raises what `ask` does."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                answer = self._answers[key]
                if isinstance(answer, LookupFailedError):
                    raise answer
                return answer
        try:
            answer = ask()
        except RefusedError as error:
            self._keep(key, error)
            raise
        self._keep(key, answer)
        return answer

    def _keep(self, key: Hashable, answer: Any) -> None:
        with self._lock:
            self._answers[key] = answer
            while len(self._answers) > self._size:
                self._answers.popitem(last=False)


def usual_threads() -> int:
    """Threads for an engine on this machine."""
    return min(8, os.cpu_count() or 1)


def clause_texts(clause: Clause) -> list[str]:
    """The alternatives of a clause as text. Raises UsageError when one has no words."""
    if isinstance(clause, str | Phrase):
        words = clause.split() if isinstance(clause, str) else " ".join(clause.words).split()
        if not words:
            raise UsageError(f"the clause {clause!r} holds no word")
        return [" ".join(words)]
    texts = [text for alternative in clause.alternatives for text in clause_texts(alternative)]
    if not texts:
        raise UsageError("a clause needs at least one alternative")
    return texts


def clause_text(clause: Clause) -> str:
    """How a count names the clause."""
    return " | ".join(sorted(set(clause_texts(clause))))


def _without_longer(terms: Sequence[Term]) -> Terms:
    """Distinct terms; one that begins with another stands only where that one does, and must not count twice."""
    split = {term: tuple(term.split()) if isinstance(term, str) else term for term in terms}
    known = set(split.values())
    return tuple(
        term for term, parts in split.items() if not any(parts[:size] in known for size in range(1, len(parts)))
    )
