"""Read an answer for lenient matching.

In: raw text. Out: `Answer`s: terms, content words, dates, what kind of answer it is. An accepted answer has variants:
without what stands in brackets, each side of "or", without the state behind a town, its date or its description. This
module compares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from corver.text.answers.cleaning import cleaned, unbracketed
from corver.text.answers.dates import DATE_FILLERS, DECADES, Date, read_dates
from corver.text.answers.lexicon import FILLERS, KINDS, MEASURES, NEGATIONS, PARTICLES, QUALIFIERS, TITLES
from corver.text.answers.names import bare_name
from corver.text.answers.numbers import Raw, Term, read_terms
from corver.text.answers.places import REGION_LEVELS, place_of
from corver.text.answers.quantities import unit_of
from corver.text.answers.refusals import guess_of
from corver.text.answers.wordforms import MIXED_INITIALS, stands_for
from corver.text.stopwords import STOPWORDS
from corver.text.words import tokenize
from corver.text.words import words as words_of

__all__ = [
    "Answer",
    "denies",
    "gold_variants",
    "read_answer",
    "region_level",
    "terms_of",
]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer taken apart.

    terms: every word or number in order. content: the terms that carry meaning. dates: with `date_only`, nothing but
    dates and their fillers was said. quantity: a number, its unit and the kind of thing, nothing else. words: those
    of the content. core: the terms without articles and leading titles. initials: what two answers that mean the same
    have at least one of in common, a cheap first test. place: the country or renamed city that it is, by its
    first name. region: the state or country behind a town, folded. short: a variant that leaves out what an accepted
    answer adds; it stands only by itself, not in something longer.
    """

    text: str
    terms: tuple[Term, ...]
    content: tuple[Term, ...]
    dates: tuple[Date, ...]
    date_only: bool
    quantity: bool
    cased: bool
    words: tuple[str, ...]
    numbers: tuple[Term, ...]
    core: tuple[Term, ...]
    initials: frozenset[str]
    place: str | None = None
    region: str = ""
    short: bool = False


_LEAD = re.compile(
    r"^\W*(?:(?:so|well|ok|okay|sure|final answer|answer|a)\s*[:,]\s*)?"
    r"(?:(?:i (?:think|believe|guess|would say)(?: that)?|probably|maybe|perhaps) )?"
    r"(?:(?:the|my|his|her|its|their) (?:\w+ )?(?:answer|name|capital) (?:is|was)\b:?\s*"
    r"|(?:it|that|this|he|she|they|there|these|those) (?:is|was|are|were)\s+|it['’]s\s+)?",
    re.IGNORECASE,
)  # fmt: skip
_QUOTED_MIDDLE = re.compile(r"(?<=\w)\s+[\"“'‘][^\"”'’]{1,20}[\"”'’]\s+(?=\w)")
_ALTERNATIVES = re.compile(
    r"\s+(?:or|aka|a\.k\.a\.|also known as|also called|formerly)\s+|\s*;\s*|\s+/\s+", re.IGNORECASE
)
_EPITHET = re.compile(r"^(.*?\S),?\s+the\s+[A-Z]\w+$")
_DESCRIBED = re.compile(r"^((?:\S+ ){0,4}[a-z]{3,}) ([A-Z][^,;]*)$")
_ACRONYM = re.compile(r"\(([A-Z][A-Z0-9&.]{1,9})\)")
_NICKNAME = re.compile(r"\w\s+[\"“]([^\"”]{3,20})[\"”]\s+\w")
_DESCRIPTION = re.compile(r"^([^,]+\S), (?:an?|the) [a-z]")
_DATED = re.compile(r"^(?:(.*\S),? (?:in|on|since|circa|c\.) (.+)|(?:in|on) ([^,]+), (.+))$", re.IGNORECASE)
_ROLE = re.compile(r"^((?:[A-Z][\w.'’-]*\s+){1,3}[A-Z][\w.'’-]*)\s+(?:as\s+\S|in\s+[a-z])")
_PLACED = re.compile(r"^(.*\S) (in|of) (?:the )?([A-Z][\w ]*)$")


@lru_cache(maxsize=1 << 16)
def read_answer(text: str) -> Answer:
    """An answer taken apart, without a lead such as "the answer is"."""
    text = guess_of(cleaned(text))
    lead = _LEAD.match(text)
    if lead and lead.end() < len(text):
        text = text[lead.end() :]
    terms = terms_of(text)
    dates, taken = read_dates(terms)
    rest = [term for at, term in enumerate(terms) if at not in taken]
    content = tuple(term for term in terms if term.word not in FILLERS) or terms
    words = tuple(term.word for term in content)
    place = place_of(words)
    return Answer(
        text=text,
        terms=terms,
        content=content,
        dates=dates,
        date_only=bool(dates) and all(term.word in DATE_FILLERS for term in rest),
        quantity=_is_quantity(content),
        cased=any(term.capital for term in terms),
        words=words,
        numbers=tuple(term for term in terms if term.number is not None),
        core=_core(terms),
        initials=_initials(terms, place),
        place=place,
        region=_region_of(text),
    )


def _core(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    kept = tuple(term for term in terms if term.word != "the") or terms
    if len(kept) > 1 and kept[0].word in ("a", "an"):
        kept = kept[1:]
    bare = bare_name(kept)
    start = next((at for at, term in enumerate(kept) if bare and term.word == bare[0]), 0)
    return kept[start : start + len(bare)] or kept


def _initials(terms: tuple[Term, ...], place: str | None) -> frozenset[str]:
    """First letters, those that transliterations mix up as one, of every word and of what it may stand for."""
    found = {place[0]} if place is not None else set()
    for term in terms:
        if term.number is not None or "0" <= term.word[0] <= "9" or term.word in DECADES:
            found.add("#")
        for word in (term.word, *stands_for(term.word)):
            found.add("k" if word[0] in MIXED_INITIALS else word[0])
    return frozenset(found)


def _region_of(text: str) -> str:
    """What stands behind the first comma, if it is a known region."""
    region = text.partition(",")[2]
    return _folded_words(region.partition(",")[0]) if region and region_level(region) else ""


def terms_of(text: str) -> tuple[Term, ...]:
    """The words and numbers of a cleaned text in order."""
    raws = []
    end = 0
    for token in tokenize(text):
        raws.append(Raw(token.text, text[token.start : token.end], text[end : token.start]))
        end = token.end
    return read_terms(raws)


def _is_quantity(content: tuple[Term, ...]) -> bool:
    """A number to begin with and, beside it, units, kinds and qualifiers alone."""
    numbers = [term for term in content if term.number is not None]
    others = [term.word for term in content if term.number is None]
    plain = all(word in QUALIFIERS or word in KINDS or unit_of(word) is not None or word in MEASURES for word in others)
    return bool(numbers) and plain


@lru_cache(maxsize=1 << 16)
def gold_variants(gold: str) -> tuple[Answer, ...]:
    """An accepted answer and the shorter ways to say it that its own form shows."""
    text = cleaned(gold)
    forms = [text]
    bare = unbracketed(text)
    forms.append(bare)
    forms.append(_QUOTED_MIDDLE.sub(" ", bare))
    if len(parts := _ALTERNATIVES.split(bare)) > 1:
        forms.extend(parts)
    if (epithet := _EPITHET.match(bare)) and len(epithet[1].split()) > 1:
        forms.append(epithet[1])
    if (described := _DESCRIBED.match(bare)) and (STOPWORDS | PARTICLES).isdisjoint(words_of(described[1])[-1:]):
        forms.append(described[2])
    town, comma, region = bare.partition(",")
    if comma and region_level(region):
        forms.append(town)
    region = _region_of(bare)
    read = [read_answer(form) for form in dict.fromkeys(forms) if form]
    answers = [answer if answer.region == region else replace(answer, region=region) for answer in read]
    for form in dict.fromkeys(_without_additions(text, bare)):
        answers.append(replace(read_answer(form), region=region, short=True))
    return tuple(answer for answer in dict.fromkeys(answers) if answer.terms)


def _without_additions(text: str, bare: str) -> Iterator[str]:
    """What is left of an accepted answer without its date, role, circumstance or description."""
    if acronym := _ACRONYM.search(text):
        yield acronym[1]
    if nickname := _NICKNAME.search(bare):
        yield nickname[1]
    if described := _DESCRIPTION.match(bare):
        yield described[1]
    if dated := _DATED.match(bare):
        head, tail = (dated[1], dated[2]) if dated[1] else (dated[4], dated[3])
        if read_answer(tail).date_only and not read_answer(head).date_only and _is_named(head):
            yield head
    if acted := _ROLE.match(bare):
        yield acted[1]
    if (placed := _PLACED.match(bare)) and _is_named(placed[1]):
        head, several = read_answer(placed[1]), len(placed[1].split()) > 1
        whole = placed[2] == "of" and (not several or head.words[-1] in KINDS)  # "Bank of England"
        if (several and placed[2] == "in") or (region_level(placed[3]) and not whole):
            yield placed[1]


def _is_named(text: str) -> bool:
    """Whether a name or a quantity is left, not a verb or a title alone."""
    answer = read_answer(text)
    if answer.quantity:
        return True
    if all(term.word in TITLES for term in answer.content):
        return False
    return all(term.capital or term.number is not None for term in answer.content)


def denies(answer: Answer) -> bool:
    """Whether a "not" or its like stands in an answer."""
    return any(term.word in NEGATIONS for term in answer.terms)


@lru_cache(maxsize=1 << 14)
def region_level(text: str) -> int:
    """How far up a region lies (state 1, country 2, continent 3), 0 for what is no known region."""
    parts = [part.strip() for part in text.split(",")]
    levels = [REGION_LEVELS.get(_folded_words(part), 0) for part in parts]
    return max(levels) if all(levels) else 0


def _folded_words(text: str) -> str:
    return " ".join(token.text for token in tokenize(text) if token.text not in ("in", "the"))
