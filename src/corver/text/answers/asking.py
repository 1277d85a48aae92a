"""Read a question for lenient matching.

In: raw text. Out: a `Question`: what is asked for, how precisely, and which words it gives away. This module compares
nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from corver.text.answers.cleaning import cleaned
from corver.text.answers.dates import Grain, read_dates
from corver.text.answers.lexicon import FILLERS, OCCUPATIONS, word_list
from corver.text.answers.places import STATE_CODES
from corver.text.answers.reading import terms_of

__all__ = ["Question", "read_question"]

Asked: TypeAlias = Literal["who", "when", "where", "quantity", "other"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a question asks for. words: its content words, which an answer may leave out or repeat. kind: it asks
    which kind of something. choice: it gives answers to choose from.
    """

    asked: Asked
    grain: Grain
    words: frozenset[str]
    years: frozenset[int]
    kind: bool = False
    choice: bool = False


_PERSONS = "|".join(
    sorted(OCCUPATIONS - {"model", "player"})
    + word_list("president king queen emperor empress ruler monarch pharaoh prince princess sultan governor senator")
    + word_list("general explorer person man woman leader founder team club franchise")
)
_PERSON_ASKED = re.compile(
    rf"\b(?:which|what) (?:\w+ ){{0,2}}?(?:{_PERSONS})\b|\bname of (?:the |a |an )?(?:\w+ ){{0,3}}?(?:{_PERSONS})\b"
)
_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|old|tall|far|deep|big|large|high|fast|heavy|wide|hot|cold|often)\b"
    r"|\b(?:total |average |the )number of\b|\bwhat (?:percent|percentage|share|is the population)\b"
    r"|\bwhat (?:is|was|are|were) (?:the |a |an )?(?:\w+ ){0,2}?(?:population|enrol?lment|capacity|salary|cost|price"
    r"|height|length|depth|width|speed|weight|distance|age|temperature|density|diameter|budget|attendance|wavelength|mass)\b"
)
_KIND_ASKED = re.compile(
    r"\b(?:kind|type|sort|form|species|breed|colou?r|which|genre|style|category|occupation|profession|religion|instrument)\b"
)
_MONTH_ASKED = re.compile(r"\b(?:what|which) month\b")
_DAY_ASKED = re.compile(r"\b(?:what|which|exact|full) (?:day|date)\b|\bday,? month,? and year\b|\bthe date\b")


@lru_cache(maxsize=1 << 14)
def read_question(text: str | None) -> Question:
    """What is asked for; nothing is known of a question that is not given."""
    if text is None:
        return Question("other", "year", frozenset(), frozenset())
    lowered = " ".join(text.lower().split())
    terms = terms_of(cleaned(text))
    dates, _ = read_dates(terms)
    asked: Asked = "other"
    if _QUANTITY.search(lowered):
        asked = "quantity"
    elif re.search(r"\b(?:who|whom|whose)\b", lowered) or _PERSON_ASKED.search(lowered):
        asked = "who"
    elif re.search(r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|decade|century)\b", lowered):
        asked = "when"
    elif re.search(r"\bwhere\b", lowered):
        asked = "where"
    grain: Grain = "year"
    if "day of the week" not in lowered and _DAY_ASKED.search(lowered):
        grain = "day"
    elif _MONTH_ASKED.search(lowered):
        grain = "month"
    return Question(
        asked,
        grain,
        frozenset(
            word
            for term in terms
            if term.word not in FILLERS
            for word in (term.word, STATE_CODES.get(term.word, term.word))
        ),
        frozenset(date.year for date in dates if date.year is not None),
        bool(_KIND_ASKED.search(lowered)),
        " or " in lowered,
    )
