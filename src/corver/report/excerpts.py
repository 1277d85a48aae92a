"""A completion cut into what is shown: sentences with their verdicts, tags, and text outside sentences.

In: a completion, its sentences as JSON, a LevelScale. Out: pieces that join to the (printable, maybe shortened)
completion, and one verdict a sentence in words. Spans that do not fit the text are left out, never trusted. This module
knows no HTML: nothing here is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from corver.report.levels import LevelScale, Mark
from corver.report.values import clip, integer, items, number, points, printable, text_of
from corver.text.rollout import parse_rollout
from corver.types import Span

__all__ = ["Excerpt", "Piece", "Verdict", "make_excerpt"]

CHARACTERS = 2500
SENTENCES = 40
_STATUS_TEXT = {
    "supported": "supported",
    "unsupported": "unsupported",
    "no_claim": "no claim",
    "no_evidence": "no evidence",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a sentence, each field ready to be shown; '' where there is nothing to say."""

    mark: Mark
    sentence: str
    status: str
    reward: str
    count: str
    head: str
    relation: str
    tail: str
    words: str
    units: str
    reason: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the completion. A sentence carries its verdict."""

    kind: Literal["sentence", "tag", "outside"]
    text: str
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """pieces join to the shown text; hidden: how many characters of the completion are not shown."""

    pieces: tuple[Piece, ...]
    hidden: int

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of the shown sentences, in order."""
        return tuple(piece.verdict for piece in self.pieces if piece.verdict)


def make_excerpt(
    completion: Any, sentences: Any, scale: LevelScale, *, characters: int = CHARACTERS, most: int = SENTENCES
) -> Excerpt:
    """Cut a completion into pieces.

    At most `characters` of it are shown, and at most `most` sentences are marked; a sentence that reaches beyond the
    shown text is not marked.
    """
    whole = completion if isinstance(completion, str) else ""
    text = printable(whole[:characters])
    tags = [tag.span for tag in parse_rollout(text).tags]
    pieces: list[Piece] = []
    at = 0
    for span, row in _spans(sentences, len(text))[:most]:
        pieces += _between(text, at, span.start, tags)
        pieces.append(Piece("sentence", span.of(text), _verdict(span.of(text), row, scale.mark(row))))
        at = span.end
    pieces += _between(text, at, len(text), tags)
    return Excerpt(tuple(pieces), hidden=len(whole) - len(text))


def _spans(sentences: Any, length: int) -> list[tuple[Span, dict[str, Any]]]:
    """Spans inside the text, in order, without overlaps."""
    found = []
    for row in items(sentences):
        start, end = (integer(row.get("start")), integer(row.get("end"))) if isinstance(row, dict) else (None, None)
        if start is not None and end is not None and 0 <= start < end <= length:
            found.append((Span(start, end), row))
    found.sort(key=lambda item: item[0])
    kept: list[tuple[Span, dict[str, Any]]] = []
    for span, row in found:
        if not kept or span.start >= kept[-1][0].end:
            kept.append((span, row))
    return kept


def _between(text: str, start: int, end: int, tags: Sequence[Span]) -> list[Piece]:
    """The text [start, end) outside sentences, cut at the tags that lie wholly in it."""
    pieces = []
    for tag in tags:
        if start <= tag.start and tag.end <= end:
            if start < tag.start:
                pieces.append(Piece("outside", text[start : tag.start]))
            pieces.append(Piece("tag", tag.of(text)))
            start = tag.end
    if start < end:
        pieces.append(Piece("outside", text[start:end]))
    return pieces


def _verdict(sentence: str, row: Mapping[str, Any], mark: Mark) -> Verdict:
    pair = row.get("pair")
    pair = pair if isinstance(pair, dict) else {}
    status = text_of(row.get("status"), limit=30)
    reward = number(row.get("reward"))
    return Verdict(
        mark=mark,
        sentence=clip(" ".join(sentence.split()), 90),
        status=_STATUS_TEXT.get(status, status),
        reward="none" if reward is None else points(reward),
        count=_count(row),
        head=text_of(pair.get("head"), limit=80),
        relation=text_of(pair.get("relation"), limit=60),
        tail=text_of(pair.get("tail"), limit=80),
        words=", ".join(text_of(word, limit=40) for word in items(row.get("words"))[:12]),
        units=", ".join(_unit(unit) for unit in items(row.get("units"))[:8] if isinstance(unit, dict)),
        reason=text_of(row.get("reason"), limit=160),
    )


def _count(row: Mapping[str, Any]) -> str:
    count = integer(row.get("count"))
    if count is None or abs(count) >= 10**18:
        return ""
    return f"{count:,} or more" if row.get("capped") is True else f"{count:,}"


def _unit(unit: Mapping[str, Any]) -> str:
    return f"{text_of(unit.get('text'), limit=40)} {points(number(unit.get('share')))}"
