"""Read an answer and a question for lenient matching.

In: raw text. Out: `Answer`s (terms, content words, dates, what kind of answer it is) and `Question`s (what is asked
for, how precisely, and which words it gives away). An accepted answer has variants: without what stands in brackets,
each side of "or", without the state behind a town. This module compares nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from corver.text.answers.dates import DATE_FILLERS, Date, Grain, read_dates
from corver.text.answers.forms import EMPHASIS
from corver.text.answers.lexicon import FILLERS, KINDS, PARTICLES, QUALIFIERS, REGION_LEVELS, STATE_CODES, word_list
from corver.text.answers.names import bare_name
from corver.text.answers.numbers import Raw, Term, read_terms
from corver.text.answers.quantities import GLUED_UNITS, unit_of
from corver.text.answers.refusals import guess_of
from corver.text.answers.wordforms import MIXED_INITIALS, stands_for
from corver.text.stopwords import STOPWORDS
from corver.text.words import tokenize
from corver.text.words import words as words_of

__all__ = [
    "Answer",
    "Question",
    "cleaned",
    "gold_variants",
    "read_answer",
    "read_question",
    "region_level",
    "unbracketed",
]

Asked: TypeAlias = Literal["who", "when", "where", "quantity", "other"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer taken apart.

    terms: every word or number in order. content: the terms that carry meaning. dates: with `date_only`, nothing but
    dates and their fillers was said. quantity: a number, its unit and the kind of thing, nothing else. words: those
    of the content. core: the terms without articles and leading titles. initials: what two answers that mean the same
    have at least one of in common, a cheap first test. region: the state or country behind a town, folded.
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
    region: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What a question asks for. words: its content words, which an answer may leave out or repeat. kind: it asks
    which kind of something.
    """

    asked: Asked
    grain: Grain
    words: frozenset[str]
    years: frozenset[int]
    kind: bool = False


_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_MOJIBAKE = re.compile(r"[ÂÃâ][\x80-\xbf\u0152-\u2122\xa0]")
_SPLIT_THOUSANDS = re.compile(r"(?<=\d), (?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_MONEY = re.compile(
    r"(?:US|AU|CA)?([$€£])\s*(\d[\d,.]*\d|\d)\s*(thousand|million|billion|trillion|bn|mn|[mkb](?!\w))?", re.IGNORECASE
)
_CURRENCY = {"$": "dollars", "€": "euros", "£": "gbp"}
_SCALE = {"m": "million", "k": "thousand", "b": "billion"}
_DEGREES = re.compile(r"\s*(?:°|º|\bdegrees?)\s*(c|f|celsius|fahrenheit)\b", re.IGNORECASE)
_GLUED = re.compile(rf"(?<=\d)({'|'.join(GLUED_UNITS)})\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^\W*(?:(?:so|well|ok|okay|sure|final answer|answer|a)\s*[:,]\s*)?"
    r"(?:(?:i (?:think|believe|guess|would say)(?: that)?|probably|maybe|perhaps) )?"
    r"(?:(?:the|my|his|her|its|their) (?:\w+ )?(?:answer|name|capital) (?:is|was)\b:?\s*"
    r"|(?:it|that|this|he|she|they|there|these|those) (?:is|was|are|were)\s+|it['’]s\s+)?",
    re.IGNORECASE,
)  # fmt: skip
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]?")
_QUOTED_MIDDLE = re.compile(r"(?<=\w)\s+[\"“'‘][^\"”'’]{1,20}[\"”'’]\s+(?=\w)")
_ALTERNATIVES = re.compile(
    r"\s+(?:or|aka|a\.k\.a\.|also known as|also called|formerly)\s+|\s*;\s*|\s+/\s+", re.IGNORECASE
)
_EPITHET = re.compile(r"^(.*?\S),?\s+the\s+[A-Z]\w+$")
_DESCRIBED = re.compile(r"^((?:\S+ ){0,4}[a-z]{3,}) ([A-Z][^,;]*)$")
_QUANTITY = re.compile(
    r"\bhow (?:many|much|long|old|tall|far|deep|big|large|high|fast|heavy|wide|hot|cold|often)\b"
    r"|\b(?:total |average |the )number of\b|\bwhat (?:percent|percentage|share|is the population)\b"
)
_KIND_ASKED = re.compile(
    r"\b(?:kind|type|sort|form|species|breed|colou?r|which|genre|style|category|occupation|profession|religion|instrument)\b"
)
_MONTH_ASKED = re.compile(r"\b(?:what|which) month\b")
_DAY_ASKED = re.compile(r"\b(?:what|which|exact|full) (?:day|date)\b|\bday,? month,? and year\b|\bthe date\b")


def cleaned(text: str) -> str:
    """The text with broken encodings mended, marks of emphasis gone, and money, degrees and units spelled apart."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if _MOJIBAKE.search(text):
        text = _mended(text)
    text = EMPHASIS.sub(" ", text.replace("\xa0", " ").replace("\u202f", " "))
    if any("0" <= char <= "9" for char in text):
        text = _SPLIT_THOUSANDS.sub("", text)
        text = _MONEY.sub(_spelled_money, text)
        text = _DEGREES.sub(lambda match: " celsius" if match[1][0] in "cC" else " fahrenheit", text)
        text = _GLUED.sub(lambda match: " " + {"k": "thousand"}.get(match[1].lower(), match[1]), text)
        text = text.replace("%", " percent").replace("per cent", "percent")
    return _POSSESSIVE.sub("", text).strip()


def unbracketed(text: str) -> str:
    """The text without what stands in brackets, unless it all does."""
    return _BRACKETS.sub("", text).strip() or text


def _mended(text: str) -> str:
    """UTF-8 that was read as Latin-1 or Windows-1252, read again."""
    for wrong in ("latin-1", "cp1252"):
        try:
            return text.encode(wrong).decode("utf-8")
        except UnicodeError:
            continue
    return text


def _spelled_money(match: re.Match[str]) -> str:
    scale = (match[3] or "").lower()
    return f"{match[2]} {_SCALE.get(scale, scale)} {_CURRENCY[match[1]]} ".replace("  ", " ")


@lru_cache(maxsize=1 << 16)
def read_answer(text: str) -> Answer:
    """An answer taken apart, without a lead such as "the answer is"."""
    text = guess_of(cleaned(text))
    lead = _LEAD.match(text)
    if lead and lead.end() < len(text):
        text = text[lead.end() :]
    terms = _terms(text)
    dates, taken = read_dates(terms)
    rest = [term for at, term in enumerate(terms) if at not in taken]
    content = tuple(term for term in terms if term.word not in FILLERS) or terms
    return Answer(
        text=text,
        terms=terms,
        content=content,
        dates=dates,
        date_only=bool(dates) and all(term.word in DATE_FILLERS for term in rest),
        quantity=_is_quantity(content),
        cased=any(term.capital for term in terms),
        words=tuple(term.word for term in content),
        numbers=tuple(term for term in terms if term.number is not None),
        core=_core(terms),
        initials=_initials(terms),
        region=_region_of(text),
    )


def _core(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    kept = tuple(term for term in terms if term.word != "the") or terms
    if len(kept) > 1 and kept[0].word in ("a", "an"):
        kept = kept[1:]
    bare = bare_name(kept)
    start = next((at for at, term in enumerate(kept) if bare and term.word == bare[0]), 0)
    return kept[start : start + len(bare)] or kept


def _initials(terms: tuple[Term, ...]) -> frozenset[str]:
    """First letters, those that transliterations mix up as one, of every word and of what it may stand for."""
    found = set()
    for term in terms:
        if term.number is not None or "0" <= term.word[0] <= "9":
            found.add("#")
        for word in (term.word, *stands_for(term.word)):
            found.add("k" if word[0] in MIXED_INITIALS else word[0])
    return frozenset(found)


def _region_of(text: str) -> str:
    """What stands behind the first comma, if it is a known region."""
    region = text.partition(",")[2]
    return _folded_words(region.partition(",")[0]) if region and region_level(region) else ""


def _terms(text: str) -> tuple[Term, ...]:
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
    plain = all(
        word in QUALIFIERS or word in KINDS or unit_of(word) is not None or word in _MEASURES for word in others
    )
    return bool(numbers) and plain


_MEASURES = frozenset(
    word_list(
        """
        more than less least most at up square cubic per times people persons calories scale season episode
        """
    )
)


@lru_cache(maxsize=1 << 14)
def read_question(text: str | None) -> Question:
    """What is asked for; nothing is known of a question that is not given."""
    if text is None:
        return Question("other", "year", frozenset(), frozenset())
    lowered = " ".join(text.lower().split())
    terms = _terms(cleaned(text))
    dates, _ = read_dates(terms)
    asked: Asked = "other"
    if _QUANTITY.search(lowered):
        asked = "quantity"
    elif re.search(r"\b(?:who|whom|whose)\b", lowered):
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
    )


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
    answers = dict.fromkeys(replace(read_answer(form), region=region) for form in dict.fromkeys(forms) if form)
    return tuple(answer for answer in answers if answer.terms)


def region_level(text: str) -> int:
    """How far up a region lies (state 1, country 2, continent 3), 0 for what is no known region."""
    parts = [part.strip() for part in text.split(",")]
    levels = [REGION_LEVELS.get(_folded_words(part), 0) for part in parts]
    return max(levels) if all(levels) else 0


def _folded_words(text: str) -> str:
    return " ".join(token.text for token in tokenize(text) if token.text not in ("in", "the"))
