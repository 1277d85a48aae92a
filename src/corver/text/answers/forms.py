"""An answer as the rule `words` and the published rule compare it.

In: any text. Out: `answer_words`, folded and without articles, and `paper_form`, the published normal form. This module
matches nothing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from corver.text.words import words

__all__ = ["EMPHASIS", "answer_words", "folded", "normalize_answer", "paper_form"]

_ARTICLES = ("a", "an", "the")
# "A minor" is no "minor": here the letter is the name.
_AFTER_LETTER_A = frozenset({"minor", "major", "flat", "sharp"})
_COUNTING = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTING)}
_MONTHS = frozenset(
    {
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    }
)  # fmt: skip
_DAY = re.compile(r"(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?$")
EMPHASIS = re.compile(r"[*_`#]+")


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> tuple[str, ...]:
    """The folded words of a text without marks of emphasis; one answer is read for several reasons."""
    return tuple(words(EMPHASIS.sub(" ", text)))


@lru_cache(maxsize=1 << 16)
def answer_words(text: str) -> tuple[str, ...]:
    """The words of an answer as they are compared: folded, without articles, number words as digits, day before month.

    `the` goes everywhere, `a` and `an` only in front, since inside they are often names ("Vitamin A deficiency").
    Articles are whole words, and an answer made of nothing else keeps them.
    """
    found = folded(text)
    kept = [word for word in found if word != "the"]
    if len(kept) > 1 and kept[0] in _ARTICLES and kept[1] not in _AFTER_LETTER_A:
        kept = kept[1:]
    return _day_first([_NUMBER_WORDS.get(word, word) for word in kept or found])


def _day_first(found: list[str]) -> tuple[str, ...]:
    """ "July 20th, 1969" and "20 July 1969" are one answer."""
    for at in range(len(found) - 1):
        if found[at] in _MONTHS and _DAY.match(found[at + 1]):
            found[at], found[at + 1] = found[at + 1], found[at]
    return tuple(
        word[:-2] if at + 1 < len(found) and found[at + 1] in _MONTHS and _DAY.match(word) and len(word) > 2 else word
        for at, word in enumerate(found)
    )


def normalize_answer(text: str) -> str:
    """`answer_words` as one string."""
    return " ".join(answer_words(text))


def paper_form(text: str) -> str:
    """Lower case, without punctuation and articles, blanks collapsed."""
    bare = "".join(
        char for char in text.lower() if not unicodedata.category(char).startswith("P") and char not in "`$+^=|~<>"
    )
    return " ".join(word for word in bare.split() if word not in _ARTICLES)
