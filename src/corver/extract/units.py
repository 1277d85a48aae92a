"""The details of a sentence: every name, number and content word, each with the span it was read from.

In: a `Scan`. Out: `Detail`s in reading order. A run of capitalised words is one detail, a day with its month another,
every other content word one of its own; small words are none. This module knows neither subject nor counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from corver.extract.lexicon import LIGHT_NOUNS, MONTHS
from corver.extract.scan import Scan
from corver.text.stopwords import FUNCTION_WORDS, STOPWORDS
from corver.text.words import Token, tokenize, words
from corver.types import Span

__all__ = ["Detail", "DetailKind", "folded", "read_details"]

DetailKind: TypeAlias = Literal["name", "number", "word"]

_WORD_TAGS = "wvVGA"
_JOINTS = frozenset({"", " ", "-", "‐", "‑", "–", ".", ". ", "'", "’", "/", "&", " & "})
"""What may stand between two tokens of one name."""


_NO_TOKEN = Token("", 0, 0)


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing that a sentence says. words: folded, never empty; no small words inside a name.

    relation: a common word that says how the others hang together rather than what is claimed: a verb, a light noun
    ("city", "member"), a noun before "of" or before the sentence's first verb ("the mother tongue of … is").
    """

    span: Span
    kind: DetailKind
    words: tuple[str, ...]
    relation: bool = False


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> tuple[str, ...]:
    """The words of a token or phrase, as the index spells them."""
    return tuple(words(text))


def read_details(found: Scan) -> list[Detail]:
    """All details of a scanned sentence, in order."""
    return list(_details(found))


def _details(found: Scan) -> Iterator[Detail]:
    at, end = 0, len(found)
    verb = next((i for i in range(1, end) if found.tags[i] in "BVv"), end)
    while at < end:
        tag = found.tags[at]
        after = at + 1
        if tag == "N":
            after = _name_end(found, at, end)
            yield from _names(found, at, after)
        elif tag == "D":
            after = _date_end(found, at, end)
            spelled = folded(_text(found, at, after))
            if spelled:
                yield Detail(_span(found, at, after), "number", spelled)
        elif tag in _WORD_TAGS:
            relation = at < verb or tag in "vVG" or found.tag(after) == "o"
            for word in folded(found.words[at]):
                if word not in STOPWORDS:
                    yield Detail(_span(found, at, after), "word", (word,), relation or word in LIGHT_NOUNS)
        at = after


def _name_end(found: Scan, at: int, end: int) -> int:
    """The end of a run of capitalised words; a month takes the day behind it along."""
    after = at + 1
    if found.lowers[at] in MONTHS:
        return after + 1 if found.tag(after) == "D" and _is_day(found.words[after]) else after
    while after < end and found.tags[after] == "N" and found.lowers[after] not in MONTHS:
        if found.text[found.ends[after - 1] : found.starts[after]] not in _JOINTS:
            break
        after += 1
    return after


def _date_end(found: Scan, at: int, end: int) -> int:
    """A day takes the month behind it along: "18 December"."""
    dated = at + 1 < end and found.lowers[at + 1] in MONTHS and _is_day(found.words[at])
    return at + 2 if dated else at + 1


def _is_day(word: str) -> bool:
    digits = word.rstrip("stndrh")
    return digits.isdigit() and len(digits) <= 2


def _names(found: Scan, start: int, end: int) -> Iterator[Detail]:
    """A name, cut at its small words: an index may keep no positions of those ("King of New York")."""
    spelled = folded(_text(found, start, end))
    if spelled and not any(word in FUNCTION_WORDS for word in spelled):
        yield Detail(_span(found, start, end), _kind_of(spelled), spelled)
        return
    run: list[Token] = []
    for token in [*tokenize(_text(found, start, end)), _NO_TOKEN]:
        if token is not _NO_TOKEN and token.text not in FUNCTION_WORDS:
            run.append(token)
        elif run:
            words = tuple(one.text for one in run)
            yield Detail(Span(run[0].start, run[-1].end).shift(found.starts[start]), _kind_of(words), words)
            run = []


def _kind_of(spelled: tuple[str, ...]) -> DetailKind:
    return "number" if any(char.isdigit() for word in spelled for char in word) else "name"


def _text(found: Scan, start: int, end: int) -> str:
    return found.text[found.starts[start] : found.ends[end - 1]]


def _span(found: Scan, start: int, end: int) -> Span:
    return Span(found.starts[start], found.ends[end - 1])
