"""Numbers in answers: figures, number words, ordinals, fractions, magnitudes, percentages, Roman numerals.

In: folded words with what stands before each. Out: `Term`s, in which a run of words that spells one number is one term
with its value. Everything exact, as fractions. This module knows no dates and no units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from corver.text.answers.lexicon import word_list

__all__ = ["Term", "read_terms"]


@dataclass(frozen=True, slots=True)
class Term:
    """One word, or one number however it was spelled.

    word: its canonical form ("24" for "twenty-four", "6th" stays an ordinal by `ordinal`). gap: the text between it and
    the term before. capital: it begins with a capital letter. digits: significant digits in which a number was given;
    rounded: it was given as so many thousands or millions.
    """

    word: str
    gap: str = ""
    capital: bool = False
    number: Fraction | None = None
    ordinal: bool = False
    digits: int = 0
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Raw:
    """A folded word as the tokenizer gives it, with its own spelling and the text before it."""

    word: str
    spelling: str
    gap: str


_ONES = {
    word: value
    for value, word in enumerate(
        word_list(
            """
            zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
            seventeen eighteen nineteen
            """
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        word_list(
            """
        twenty thirty forty fifty sixty seventy eighty ninety
        """
        ),
        start=2,
    )
}
_TENS["fourty"] = 40
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "lakh": 10**5,
    "crore": 10**7, "dozen": 12, "hundreds": 10**2, "thousands": 10**3, "millions": 10**6, "billions": 10**9,
    "mn": 10**6, "bn": 10**9,
}  # fmt: skip
_TIMES = {"twice": 2, "thrice": 3}
_ORDINALS = {
    word: value
    for value, word in enumerate(
        word_list(
            """
            first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
            fifteenth sixteenth seventeenth eighteenth nineteenth
            """
        ),
        start=1,
    )
}
_ORDINAL_TENS = {
    word: 10 * value
    for value, word in enumerate(
        word_list(
            """
            twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth
            """
        ),
        start=2,
    )
}
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourths": 4, "fifths": 5,
    "sixths": 6, "sevenths": 7, "eighths": 8, "ninths": 9, "tenths": 10,
}  # fmt: skip
_FIGURE = re.compile(r"(\d+)(\.\d+)?(st|nd|rd|th)?$")
_ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN_WORDS = frozenset({"mix", "mi", "di", "dim", "mm", "cm", "md", "dc", "mc", "cd", "ml", "dl", "cc", "mid", "lid"})
_BEFORE_ROMAN = frozenset(
    word_list(
        """
        war part volume vol act chapter type phase title division class episode season book grade stage level
        """
    )
)
_SECONDS = frozenset(["per", "a", "each", "every", "one", "half"])


def read_terms(raws: Sequence[Raw]) -> tuple[Term, ...]:
    """The terms of a text in order."""
    terms: list[Term] = []
    at = 0
    while at < len(raws):
        found = _number_at(raws, at)
        if found is None:
            raw = raws[at]
            terms.append(Term(raw.word, raw.gap, raw.spelling[:1].isupper()))
            at += 1
            continue
        term, at = found
        terms.append(term)
    return tuple(terms)


def _number_at(raws: Sequence[Raw], at: int) -> tuple[Term, int] | None:
    """The number that begins at a word and where the text goes on after it."""
    return _spelled_fraction(raws, at) or _figure(raws, at) or _spelled(raws, at) or _roman(raws, at)


def _term(raw: Raw, value: Fraction, *, ordinal: bool = False, digits: int = 0, rounded: bool = False) -> Term:
    return Term(str(value), raw.gap, raw.spelling[:1].isupper(), value, ordinal, digits, rounded)


def _figure(raws: Sequence[Raw], at: int) -> tuple[Term, int] | None:
    """ "1,200", "6th", "3.5 million", "1/2", "2 1/2"."""
    raw = raws[at]
    match = _FIGURE.match(raw.word)
    if match is None:
        return None
    value = Fraction(match[1] + (match[2] or ""))
    if match[3]:
        return _term(raw, value, ordinal=True), at + 1
    digits = len((match[1] + (match[2] or "").replace(".", "")).lstrip("0"))
    after = at + 1
    if _is_divided(raws, after):
        bottom = int(raws[after].word)
        # "2 1/2" is 2.5; "1/2" alone is a half.
        if bottom:
            return _term(raw, value / bottom), after + 1
    if after + 1 < len(raws) and raws[after].gap == " " and raws[after].word.isdigit() and _is_divided(raws, after + 1):
        top, bottom = int(raws[after].word), int(raws[after + 1].word)
        if 0 < top < bottom < 100:
            return _term(raw, value + Fraction(top, bottom)), after + 2
    if after < len(raws) and raws[after].word in _SCALES and raws[after].gap in (" ", "", "-", "\xa0"):
        return _term(raw, value * _SCALES[raws[after].word], digits=digits, rounded=True), after + 1
    return _term(raw, value, digits=digits), after


def _is_divided(raws: Sequence[Raw], at: int) -> bool:
    """Whether a slash between two figures makes them a fraction: not in dates, scores or ranges."""
    if at >= len(raws) or raws[at].gap not in ("/", "⁄") or not raws[at].word.isdigit():
        return False
    chained = at + 1 < len(raws) and raws[at + 1].gap == "/"
    before = at >= 2 and raws[at - 1].gap == "/"
    return not chained and not before and len(raws[at].word) <= 6


def _spelled_fraction(raws: Sequence[Raw], at: int) -> tuple[Term, int] | None:
    """ "half", "a quarter", "two thirds", "three-quarters"; "third" alone is an ordinal."""
    word = raws[at].word
    if word == "half":
        return _term(raws[at], Fraction(1, 2)), at + 1
    if at + 1 >= len(raws) or raws[at + 1].word not in _PARTS:
        return None
    part = _PARTS[raws[at + 1].word]
    if word in ("a", "one") and raws[at + 1].word in ("half", "third", "quarter"):
        return _term(raws[at], Fraction(1, part)), at + 2
    top = _ONES.get(word, int(word) if word.isdigit() and len(word) < 3 else 0)
    if top and raws[at + 1].word.endswith("s"):
        return _term(raws[at], Fraction(top, part)), at + 2
    return None


def _spelled(raws: Sequence[Raw], at: int) -> tuple[Term, int] | None:
    """ "two hundred and fifty thousand", "twenty-first", "a million"."""
    if raws[at].word in _TIMES:
        return _term(raws[at], Fraction(_TIMES[raws[at].word])), at + 1
    total = part = 0
    ordinal = seen = False
    place = at
    while place < len(raws) and not ordinal:
        word = raws[place].word
        # "five, six" are two numbers.
        if seen and not set(raws[place].gap) <= {" ", "-", "‐", "\xa0"}:
            break
        if word in _ONES and (not seen or (part % 10 == 0 and part % 100 >= 20) or part % 100 == 0):
            part += _ONES[word]
        elif word in _TENS and (not seen or part % 100 == 0):
            part += _TENS[word]
        elif word in _ORDINALS and (not seen or part % 10 == 0) and not _is_second(raws, place):
            part, ordinal = part + _ORDINALS[word], True
        elif word in _ORDINAL_TENS and (not seen or part % 100 == 0):
            part, ordinal = part + _ORDINAL_TENS[word], True
        elif word in _SCALES and (seen or _scale_alone(raws, place)):
            scale = _SCALES[word]
            part = (part or 1) * scale
            if scale > 100:
                total, part = total + part, 0
        elif seen and word == "and" and _goes_on(raws, place + 1) and (total or part >= 100):
            place += 1
            continue
        elif not seen and word in ("a", "an") and _scale_follows(raws, place):
            part = 1
        else:
            break
        seen = True
        place += 1
    if not seen:
        return None
    return _term(raws[at], Fraction(total + part), ordinal=ordinal), place


def _is_second(raws: Sequence[Raw], at: int) -> bool:
    """ "a second" of time, as in "per second"."""
    return raws[at].word == "second" and at > 0 and raws[at - 1].word in _SECONDS


def _scale_alone(raws: Sequence[Raw], at: int) -> bool:
    return raws[at].word in ("hundred", "thousand", "million", "billion", "dozen")


def _scale_follows(raws: Sequence[Raw], at: int) -> bool:
    return at + 1 < len(raws) and _scale_alone(raws, at + 1)


def _goes_on(raws: Sequence[Raw], at: int) -> bool:
    return at < len(raws) and (raws[at].word in _ONES or raws[at].word in _TENS or raws[at].word in _ORDINALS)


def _roman(raws: Sequence[Raw], at: int) -> tuple[Term, int] | None:
    """ "Leo III", "World War II", "Elizabeth I"; a single letter only after a name or a word such as "part"."""
    raw = raws[at]
    word = raw.word
    if word in _ROMAN_WORDS or not _ROMAN.match(word):
        return None
    alone = len(raws) == 1 and len(word) > 1 and raw.spelling.isupper()
    if at == 0 and not alone:
        return None
    # "Li" and "Xi" are names; written small, only what is made of i, v and x.
    if not raw.spelling.isupper() and not (raw.spelling.islower() and set(word) <= set("ivx")):
        return None
    if len(word) == 1:
        before = raws[at - 1]
        numbered = before.word in _BEFORE_ROMAN
        if not numbered and not (word in "iv" and raw.spelling.isupper() and before.spelling[:1].isupper()):
            return None
        if raw.gap != " ":
            return None
    total = 0
    for letter, following in zip(word, [*word[1:], ""], strict=True):
        value = _ROMAN_VALUES[letter]
        total += -value if following and _ROMAN_VALUES[following] > value else value
    return _term(raw, Fraction(total), ordinal=True), at + 1
