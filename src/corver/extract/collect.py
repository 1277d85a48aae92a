"""Collecting the pairs of one sentence, whoever finds its subjects and objects.

In: a scan, then heads, relations and tails as ranges of its tokens. Out: a `Reading`. Tails are narrowed to the name
that they are about, repetitions dropped, and what is said of "the answer" is kept as the answer itself. This module
reads no clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from corver.extract.heads import Head
from corver.extract.lexicon import GENERIC_HEADS, MONTHS, TALKERS
from corver.extract.phrases import Range, is_named, narrow, text_of
from corver.extract.scan import Scan
from corver.types import Pair, Span

__all__ = ["PairCollector", "Reading", "asks", "speaks"]

_MAX_PAIRS = 8
_SINGULAR_PRONOUNS = frozenset({"he", "she", "it", "him", "her", "i", "you", "his", "its"})


@dataclass(slots=True)
class Reading:
    """pairs: best first. fragment: the noun phrase of a sentence that has no verb and hence no pair of its own.

    subject: of the first clause, which may have no object and hence no pair ("Marie Curie died."). note: handed on to
    the extraction.
    """

    pairs: list[Pair] = field(default_factory=list)
    fragment: Span | None = None
    subject: str | None = None
    note: str | None = None


def asks(found: Scan) -> bool:
    """Whether a sentence is a question, which claims nothing."""
    return found.text.rstrip(" \"')]”").endswith("?")


def speaks(pair: Pair) -> bool:
    """Whether the object of a pair holds a name or a number."""
    tail = pair.tail
    return tail != tail.lower() or any(char.isdigit() for char in tail)


class PairCollector:
    """The pairs of one sentence so far, eight at most."""

    def __init__(self, found: Scan) -> None:
        self.found = found
        self.reading = Reading()
        self._seen: set[tuple[Range, Range]] = set()
        self._generic: dict[Range, bool] = {}

    @property
    def full(self) -> bool:
        """Whether no further pair is taken."""
        return len(self.reading.pairs) >= _MAX_PAIRS

    def emit(self, head: Head, relation: str, tail: Range) -> None:
        """Add the pair of a head and a phrase; the phrase is narrowed to the name it is about."""
        if tail.end <= tail.start or self.full:
            return
        left, core = narrow(self.found, tail)
        sides = (head.tokens, core)
        if core == head.tokens or sides in self._seen:
            return
        if self.is_generic(head):
            # "The answer is Warsaw" is as good as "Warsaw".
            if self.reading.fragment is None and self.found.tag(core.start) != "O":
                self.reading.fragment = self.span(core)
            return
        self._seen.add(sides)
        words = " ".join(part for part in (head.prefix, relation, left) if part)
        found, who = self.found, head.tokens
        self.reading.pairs.append(
            Pair(
                head=text_of(found, who),
                relation=words,
                tail=text_of(found, core),
                head_span=self.span(who),
                tail_span=self.span(core),
            )
        )

    def begin(self, head: Head) -> None:
        """Remember the subject of the sentence's first clause."""
        if self.reading.subject is None:
            self.reading.subject = self.words(head.tokens)

    def is_place(self, phrase: Range) -> bool:
        """Whether a phrase in front of the subject may be a place: it holds a name that is no month."""
        return any(self.found.tags[i] == "N" and self.found.lower(i) not in MONTHS for i in range(*phrase))

    def placed(self, head: Head, places: Sequence[Range]) -> Head:
        """ "In Tampere, the language spoken is Finnish" is about Tampere: the first place stands for a vague head."""
        found, first = self.found, head.tokens.start
        if not places or is_named(found, head.tokens) or found.lower(first) in _SINGULAR_PRONOUNS:
            return head
        kind = "" if found.tags[first] == "O" else self.words(head.tokens)
        return Head(narrow(found, places[0])[1], f"{kind} {head.prefix}".strip())

    def is_generic(self, head: Head) -> bool:
        """Whether the head is "the answer" and its like, or the speaker."""
        found, span = self.found, head.tokens
        known = self._generic.get(span)
        if known is None:
            first = found.lowers[span.start]
            if first in TALKERS:
                known = found.tags[span.start] == "O"
            else:
                # Capitals count for nothing here: "Answer: Warsaw", "The Answer is Warsaw".
                known = all(word in GENERIC_HEADS for word in found.lowers[span.start : span.end])
            self._generic[span] = known
        return known

    def words(self, span: Range) -> str:
        """The text of a range."""
        return text_of(self.found, span)

    def span(self, tokens: Range) -> Span:
        """Where a range stands in the sentence."""
        return Span(self.found.starts[tokens.start], self.found.ends[tokens.end - 1])
