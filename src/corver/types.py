"""The nouns that travel between the rooms: spans, pairs, counts, scored sentences, rollouts, and two protocols.

In: nothing. Out: frozen dataclasses and protocols. This module knows no file format, no index and no model; every
other module may import it. All spans are half-open code-point offsets into the untouched text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

__all__ = [
    "AnswerLabel",
    "AnyOf",
    "Clause",
    "Count",
    "Counter",
    "Extraction",
    "Extractor",
    "Pair",
    "Passage",
    "Phrase",
    "Query",
    "Rollout",
    "ScoredText",
    "SentenceReward",
    "SentenceScore",
    "Span",
    "Status",
    "Unit",
]


class Status(StrEnum):
    """What is known of a sentence. Only the first two carry a corpus verdict.

    `no_claim`: no valid pair in the sentence. `no_evidence`: the corpus lacks the subject. `failed`: extraction or
    look-up broke; its reward is NaN in arrays and null in JSON, never a number.
    """

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    NO_CLAIM = "no_claim"
    NO_EVIDENCE = "no_evidence"
    FAILED = "failed"


AnswerLabel: TypeAlias = Literal["correct", "wrong", "not_attempted"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range [start, end) of code points."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"span [{self.start}, {self.end}) is not a range")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """The text that the span covers."""
        return text[self.start : self.end]

    def shift(self, by: int) -> Span:
        """The same span `by` code points further right."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Pair:
    """Subject (head), relation and object (tail) of one claim, with the spans they were read from.

    Spans are offsets into the sentence, or None when the words do not stand there literally (a head that a pronoun
    or a bare answer borrowed, or a model's own wording).
    """

    head: str
    relation: str
    tail: str
    head_span: Span | None = None
    tail_span: Span | None = None

    def to_json(self) -> dict[str, str]:
        return {"head": self.head, "relation": self.relation, "tail": self.tail}


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences of one text, in order, and the question that it answers: the context an extractor may read.

    A pronoun may borrow its subject from an earlier sentence, a bare answer ("Warsaw.") from the question.
    """

    sentences: tuple[str, ...]
    question: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor made of one sentence: pairs, best first (none: no claim), or why it failed, in one line.

    note: one line that the verdict on the sentence shall carry; the pairs count all the same.
    """

    pairs: tuple[Pair, ...] = ()
    failure: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One detail of a sentence under `profile` support, with its share of the sentence's reward.

    repeated: the text said it of the same subject before, so that it earns nothing.
    """

    text: str
    span: Span
    weight: float
    score: float
    share: float
    repeated: bool = False

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "text": self.text,
            "start": self.span.start,
            "end": self.span.end,
            "weight": self.weight,
            "score": self.score,
            "share": self.share,
        }
        if self.repeated:
            row["repeated"] = True
        return row


@dataclass(frozen=True, slots=True)
class Phrase:
    """Consecutive words. Its position is that of its first word."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Alternatives (aliases): a position of any of them is a position of the clause."""

    alternatives: tuple[str | Phrase, ...]


Clause: TypeAlias = str | Phrase | AnyOf
Query: TypeAlias = Sequence[Clause]
"""All clauses of a query must stand together: AND over clauses."""


@dataclass(frozen=True, slots=True)
class Count:
    """How often the words of a query stand together.

    value: exact, or min(exact, cap) when `capped`. anchor: the query word with the fewest occurrences in the corpus.
    approx: the backend estimated the value; an approximate 0 must never become a penalty.
    """

    value: int
    capped: bool
    anchor: str
    approx: bool = False


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """The verdict on one sentence.

    span: offsets into the scored text. level: 0 … 3 for the four levels, None without a verdict. reward: NaN when
    failed. reason: one line for `failed` and, where it helps, for `no_claim`. repeated: the claim was made before in
    the same completion, so it must not be worth more than silence.
    """

    span: Span
    text: str
    status: Status
    reward: float
    pair: Pair | None = None
    words: tuple[str, ...] = ()
    count: int | None = None
    capped: bool = False
    level: int | None = None
    units: tuple[Unit, ...] = ()
    reason: str | None = None
    repeated: bool = False

    @property
    def has_claim(self) -> bool:
        """True when the sentence made a claim that the corpus could speak to."""
        return self.status in (Status.SUPPORTED, Status.UNSUPPORTED)

    def to_json(self) -> dict[str, Any]:
        """The public JSON form; NaN becomes null."""
        row: dict[str, Any] = {
            "start": self.span.start,
            "end": self.span.end,
            "text": self.text,
            "status": self.status.value,
            "pair": self.pair.to_json() if self.pair else None,
            "words": list(self.words),
            "count": self.count,
            "capped": self.capped,
            "level": self.level,
            "reward": None if math.isnan(self.reward) else self.reward,
        }
        if self.units:
            row["units"] = [unit.to_json() for unit in self.units]
        if self.reason:
            row["reason"] = self.reason
        if self.repeated:
            row["repeated"] = True
        return row


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text and the verdicts on its sentences, in order of their spans."""

    text: str
    sentences: tuple[SentenceScore, ...]

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "sentences": [sentence.to_json() for sentence in self.sentences]}


@dataclass(frozen=True, slots=True)
class Rollout:
    """One completion of a policy, with what is known of its prompt.

    sentences: spans of the sentences in `completion` to be scored, or None to let the scorer split the text itself.
    """

    completion: str
    question: str | None = None
    answers: tuple[str, ...] = ()
    sentences: tuple[Span, ...] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class SentenceReward(Protocol):
    """Anything that judges sentences: co-occurrence, NLI, an LLM judge, atomic facts."""

    def score(self, rollouts: Sequence[Rollout]) -> list[list[SentenceScore]]:
        """One list of verdicts a rollout, in the order of its sentences."""
        ...


@runtime_checkable
class Counter(Protocol):
    """Anything that counts how often the clauses of a query stand together within a window of words."""

    def count_many(self, queries: Sequence[Query], *, window: int = 1000, cap: int | None = None) -> list[Count]:
        """One count a query. Raises LookupFailedError when a count cannot be had."""
        ...

    def fingerprint(self) -> str:
        """A hash of what the counts depend on; goes into every result made with them."""
        ...


@runtime_checkable
class Extractor(Protocol):
    """Passages in, the pairs of each of their sentences out."""

    def extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """One list a passage, one extraction a sentence. Raises ExtractionError when it cannot work at all."""
        ...

    def fingerprint(self) -> str:
        """A hash of the extractor's kind, version and options."""
        ...
