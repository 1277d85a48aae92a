"""Does an answer name one thing, or several to choose from?

In: an answer's text. Out: the things that it names. "Warsaw, Poland", "Barack Obama, the president" and "born in
Warsaw, in 1867" name one; "Paris, London or Rome" three. This module knows no accepted answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from corver.text.answers.asking import Question
from corver.text.answers.cleaning import unbracketed
from corver.text.answers.dates import MONTHS
from corver.text.answers.forms import folded
from corver.text.answers.lexicon import SUFFIX_TITLES
from corver.text.answers.reading import read_answer, region_level
from corver.text.stopwords import STOPWORDS

__all__ = ["Candidates", "list_candidates"]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The things an answer names.

    alternative: they stand as "A or B", of which the speaker chose none. regions: the states and countries that were
    named behind a place.
    """

    items: tuple[str, ...]
    alternative: bool
    regions: tuple[str, ...] = ()


_SEPARATOR = re.compile(
    r"\s*(?P<or>,?\s*\b(?:or|and/or|maybe|perhaps|possibly|alternatively)\b|(?<![\d])/|/(?!\d)|;|\||\n|\?(?=\s*\w))\s*"
    r"|\s*(?P<and>,?\s*(?:\band\b|(?<!\w)&|&(?!\w)|\bplus\b|\bas well as\b|\balong with\b))\s*"
    r"|\s*(?P<comma>,)(?!\d{3}\b)\s*",
    re.IGNORECASE,
)
_DATE_COMMA = re.compile(
    rf"(\b(?:{'|'.join(MONTHS)}|spring|summer|autumn|fall|winter)\.?(?: \d{{1,2}}(?:st|nd|rd|th)?)?),(?= \d{{3,4}}\b)",
    re.IGNORECASE,
)
_NUMBER_AND = re.compile(r"\b(hundred|thousand|million)\s+and\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(between\b.{1,40}?)\band\b", re.IGNORECASE)
_ADDITION = frozenset(
    """
    in on at near from of by with for during since until to as after before who which where when whose that
    born located known named called including especially because
    capital home part also not inc ltd jr sr llc
    """.split()  # noqa: SIM905 - a list of words reads as one
)
"""What begins an addition after a comma; it names no further candidate."""
_ARTICLES = frozenset({"the", "a", "an"})
_ADJECTIVE = re.compile(
    r"^(?:an? )?(?:[a-z]+(?:al|ar|ary|ous|ic|ive|ful|less|able|ible|ed|ish|ent|ant)|small|large|big|long|short|round"
    r"|flat|thick|thin|hard|soft|hot|cold|warm|dry|wet|old|new|young|dark|light|white|black|red|green|blue|yellow|gr[ae]y"
    r"|brown|pink|sweet|sour|strong|weak|heavy|tall|deep|wide|narrow|rich|poor|hollow|solid)$",
    re.IGNORECASE,
)
"""Endings and words that a noun seldom has."""
_COPULAS = frozenset({"is", "was", "are", "were", "has", "had", "have", "did"})


@lru_cache(maxsize=1 << 16)
def list_candidates(text: str, question: Question) -> Candidates:
    """The candidates of an answer, at least one for a text with words."""
    bare = unbracketed(text)
    bare = _BETWEEN.sub(r"\1 to", _NUMBER_AND.sub(r"\1", _DATE_COMMA.sub(r"\1", bare)))
    if not _SEPARATOR.search(bare):
        return Candidates((bare,), alternative=False)
    parts, joints = _parts(bare)
    if _is_described(parts, joints):
        return Candidates((bare,), alternative=False)
    kept: list[str] = []
    regions: list[str] = []
    alternative = False
    articles = 0
    dated = False
    last = ""
    for part, joint in zip(parts, joints, strict=True):
        spoken = folded(part)
        if not spoken:
            continue
        if kept and joint == "comma":
            if _is_higher_region(part, last):
                regions.append(part)
                last = part
                continue
            if _is_addition(spoken, question):
                continue
            if not dated and _is_date_behind(part, kept[0]):
                dated = True
                continue
            if _is_description(part, spoken) and not articles:
                articles += 1
                continue
        if kept and joint == "and" and _is_clause(part, spoken, parts[0]):
            continue
        if kept and joint == "or":
            alternative = True
        # "In 1867, she was born in Warsaw": what leads in is no candidate.
        if len(kept) == 1 and joint == "comma" and not dated and _is_date_behind(kept[0], part):
            kept.pop()
            dated = True
        kept.append(part)
        last = part
    return Candidates(tuple(kept) or (bare,), alternative, tuple(regions))


def _is_described(parts: Sequence[str], joints: Sequence[str]) -> bool:
    """ "a small, edible fruit" is one noun with its adjectives; "a cat, dog" is a list."""
    before, last = parts[:-1], parts[-1].split()
    return (
        len(last) > 1
        and set(joints) == {"comma"}
        and parts[0].split()[:1] in (["a"], ["an"], ["A"], ["An"])
        and last[0].islower()
        and all(_ADJECTIVE.search(part) for part in before)
    )


def _is_higher_region(part: str, before: str) -> bool:
    """A state behind a town, a country behind a state: not behind a number or a date."""
    level = region_level(part)
    answer = read_answer(before)
    return level > region_level(before) and not answer.numbers and not answer.dates


def _is_addition(spoken: Sequence[str], question: Question) -> bool:
    """Words of the question, or a circumstance."""
    return spoken[0] in _ADDITION or spoken[0] in SUFFIX_TITLES or _repeats(spoken, question)


def _is_date_behind(part: str, first: str) -> bool:
    """A date behind something that is none: "Warsaw, 1867"."""
    return read_answer(part).date_only and not read_answer(first).date_only


def _is_description(part: str, spoken: Sequence[str]) -> bool:
    """ "the physicist", "a city in Poland"; a capital after the article names something."""
    second = part.split()[1:2]
    return spoken[0] in _ARTICLES and bool(second) and not second[0][:1].isupper()


def _parts(text: str) -> tuple[list[str], list[str]]:
    """The pieces between separators, each with the kind of separator before it."""
    parts, joints = [], ["comma"]
    start = 0
    for match in _SEPARATOR.finditer(text):
        parts.append(text[start : match.start()])
        joints.append(str(match.lastgroup))
        start = match.end()
    parts.append(text[start:])
    return parts, joints


def _repeats(spoken: Sequence[str], question: Question) -> bool:
    return all(word in question.words or word in STOPWORDS for word in spoken)


def _is_clause(part: str, spoken: Sequence[str], first: str) -> bool:
    """ "… and died in Paris": a further statement, not a further candidate."""
    sentence = not _COPULAS.isdisjoint(folded(first))
    return sentence and part[:1].islower() and any(word in STOPWORDS for word in spoken[1:])
