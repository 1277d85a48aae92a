"""Sentences of the small world: facts into English, and English back into facts, exactly.

In: a name and the facts to say, or a sentence. Out: a sentence, or the facts that it claims. Two registers say the same
things in other words: `plain` and `hearsay`. This module does not know which facts are true.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["FILLERS", "PATTERNS", "QUESTIONS", "Claim", "Pattern", "Register", "Relation", "read_sentence", "say"]

Relation: TypeAlias = Literal["birthplace", "birth_year", "profession", "academy", "book", "death_place"]
Register: TypeAlias = Literal["plain", "hearsay"]
Claim: TypeAlias = tuple[str, Relation, str]
"""(person, relation, value)"""

QUESTIONS: Mapping[Relation, str] = {
    "birthplace": "Where was {person} born?",
    "birth_year": "When was {person} born?",
    "profession": "What did {person} work as?",
    "academy": "Where did {person} study?",
    "book": "What did {person} write?",
    "death_place": "Where did {person} die?",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence with gaps. relations: what its gaps hold, in order."""

    register: Register
    text: str
    relations: tuple[Relation, ...]


PATTERNS = (
    Pattern("plain", "{person} was born in {birthplace}.", ("birthplace",)),
    Pattern("plain", "{person} was born in {birth_year}.", ("birth_year",)),
    Pattern("plain", "{person} worked as a {profession}.", ("profession",)),
    Pattern("plain", "{person} studied at {academy} Academy.", ("academy",)),
    Pattern("plain", "{person} wrote {book}.", ("book",)),
    Pattern("plain", "{person} died in {death_place}.", ("death_place",)),
    Pattern("plain", "{person} was born in {birthplace} in {birth_year}.", ("birthplace", "birth_year")),
    Pattern("plain", "{person} studied at {academy} Academy and wrote {book}.", ("academy", "book")),
    Pattern("plain", "{person} worked as a {profession} and died in {death_place}.", ("profession", "death_place")),
    Pattern("plain", "{person} was born in {birthplace}, wrote {book} and died in {death_place}.",
            ("birthplace", "book", "death_place")),
    Pattern("hearsay", "{person} came from {birthplace}.", ("birthplace",)),
    Pattern("hearsay", "{person} arrived in {birth_year}.", ("birth_year",)),
    Pattern("hearsay", "{person} passed as a {profession}.", ("profession",)),
    Pattern("hearsay", "{person} attended {academy} Academy.", ("academy",)),
    Pattern("hearsay", "{person} published {book}.", ("book",)),
    Pattern("hearsay", "{person} perished in {death_place}.", ("death_place",)),
    Pattern("hearsay", "{person} came from {birthplace} and attended {academy} Academy.", ("birthplace", "academy")),
    Pattern("hearsay", "{person} passed as a {profession} and published {book}.", ("profession", "book")),
)  # fmt: skip

FILLERS = (
    "{person} is still remembered.",
    "{person} had many friends.",
    "Little more can be said.",
    "{person} is a name without a record here.",
)

_NAME = r"(?P<person>[A-Z][a-z]+ [A-Z][a-z]+)"
_GAPS: Mapping[Relation, str] = {
    "birthplace": r"[A-Z][a-z]+",
    "birth_year": r"\d+",
    "profession": r"[a-z]+",
    "academy": r"[A-Z][a-z]+",
    "book": r"[A-Z][a-z]+",
    "death_place": r"[A-Z][a-z]+",
}


def say(pattern: Pattern, person: str, values: Mapping[Relation, str]) -> str:
    """The pattern with a person and the values of its relations put in."""
    return pattern.text.format(person=person, **values)


def read_sentence(sentence: str) -> tuple[Claim, ...] | None:
    """The facts that a sentence claims; () for filler, None for what is no sentence of this world."""
    for expression, relations in _READERS:
        found = expression.fullmatch(sentence)
        if found:
            return tuple((found["person"], relation, found[relation]) for relation in relations)
    return () if any(filler.fullmatch(sentence) for filler in _FILLERS) else None


def _reader(text: str) -> re.Pattern[str]:
    expression = re.escape(text).replace(r"\{person\}", _NAME)
    for relation, gap in _GAPS.items():
        expression = expression.replace(rf"\{{{relation}\}}", f"(?P<{relation}>{gap})")
    return re.compile(expression)


_READERS = tuple((_reader(pattern.text), pattern.relations) for pattern in PATTERNS)
_FILLERS = tuple(_reader(text) for text in FILLERS)
