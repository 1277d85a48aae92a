"""Grade a short answer against the accepted ones: correct, wrong or not attempted.

In: a prediction and the gold answers with their aliases. Out: an `AnswerLabel`. Two rules: `words`, corver's own, finds
a gold answer as whole words in the prediction; `paper` is the published substring match, either way round. This
module knows nothing of completions, tags or rewards.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from corver.text.stopwords import STOPWORDS
from corver.text.words import words
from corver.types import AnswerLabel

__all__ = ["EXTRA_WORDS", "MatchRule", "answer_words", "grade", "is_refusal", "matches", "normalize_answer"]

MatchRule: TypeAlias = Literal["words", "paper"]

EXTRA_WORDS = 12
"""How many words a prediction may hold beyond the gold answer before naming it no longer counts.

A short sentence around the answer is fine; a list of guesses is not.
"""

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
_EMPHASIS = re.compile(r"[*_`#]+")


@lru_cache(maxsize=1 << 16)
def answer_words(text: str) -> tuple[str, ...]:
    """The words of an answer as they are compared: folded, without articles, number words as digits, day before month.

    `the` goes everywhere, `a` and `an` only in front, since inside they are often names ("Vitamin A deficiency").
    Articles are whole words, and an answer made of nothing else keeps them.
    """
    found = words(_EMPHASIS.sub(" ", text))
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


def matches(
    prediction: str, golds: Sequence[str], *, rule: MatchRule = "words", extra_words: int = EXTRA_WORDS
) -> bool:
    """Whether the prediction names one of the accepted answers.

    words: some gold answer stands in the prediction as consecutive whole words (a middle name may come between), and
    the prediction is at most `extra_words` longer than it. paper: of the two lower-cased strings one contains the other
    (arXiv 2605.29648's release; it takes "1" for "1912"). Nothing matches an empty prediction or an empty gold.
    """
    if rule == "paper":
        spoken = _paper_form(prediction)
        return bool(spoken) and any(
            gold in spoken or spoken in gold for gold in (_paper_form(gold) for gold in golds) if gold
        )
    spoken_words = answer_words(prediction)
    return any(
        len(spoken_words) <= len(gold) + extra_words and _contains(spoken_words, gold)
        for gold in (answer_words(gold) for gold in golds)
        if gold
    )


def grade(
    prediction: str, golds: Sequence[str], *, rule: MatchRule = "words", extra_words: int = EXTRA_WORDS
) -> AnswerLabel:
    """Label a prediction. A match comes first, so that a gold answer that sounds like a refusal is still right."""
    if not answer_words(prediction):
        return "not_attempted"
    if matches(prediction, golds, rule=rule, extra_words=extra_words):
        return "correct"
    return "not_attempted" if is_refusal(prediction) else "wrong"


def _contains(longer: tuple[str, ...], gold: tuple[str, ...]) -> bool:
    """Whether the words of `gold` stand in a row; inside a name, one further name may stand between two of them."""
    name = 2 <= len(gold) <= 3 and all(word.isalpha() for word in gold)
    return any(
        word == gold[0] and _stands_at(longer, at, gold, slack=1 if name else 0) for at, word in enumerate(longer)
    )


def _stands_at(longer: tuple[str, ...], at: int, gold: tuple[str, ...], *, slack: int) -> bool:
    for wanted in gold[1:]:
        at += 1
        if slack and longer[at + 1 : at + 2] == (wanted,) and longer[at] != wanted and longer[at] not in STOPWORDS:
            at += 1
        if longer[at : at + 1] != (wanted,):
            return False
    return True


def _paper_form(text: str) -> str:
    """Lower case, without punctuation and articles, blanks collapsed."""
    bare = "".join(
        char for char in text.lower() if not unicodedata.category(char).startswith("P") and char not in "`$+^=|~<>"
    )
    return " ".join(word for word in bare.split() if word not in _ARTICLES)


# Patterns over folded words as `words` gives them: "don't" is "dont", "I'm" is "i m", "N/A" is "n a".
_SORRY = (
    r"(?:(?:(?:i am|i m|we are)? ?(?:very |so )?sorry|unfortunately|well|hmm|um|oh|but|apologies|i apologi[sz]e) )*"
)
_ADVERB = r"(?:(?:really|honestly|simply|just|actually|currently|truly|still|even|quite|entirely|100) )*"
_WHO = rf"(?:(?:i|we) (?:am |are |m |re )?)?{_ADVERB}"
_CANNOT = r"(?:do not|dont|did not|didnt|cannot|can not|cant|could not|couldnt)"
_KNOW = r"(?:know|recall|remember|answer|provide|determine|find|tell|say|have|be (?:sure|certain))"
_UNSURE = (
    rf"(?:not {_ADVERB}(?:sure|certain|aware|able|familiar)|unsure|uncertain|unaware|unable"
    r"|(?:have )?no (?:idea|clue)|dunno|idk)"
)
_TOPIC = r"(?:(?:the|this|that|it|there|exact|correct|answer|information|question|is|are|was|remains|an?) )*"
_UNKNOWN = (
    r"(?:unknown|unclear|undetermined|unavailable|not (?:known|available|specified|provided|given|clear)"
    r"|no (?:answer|information|data)|insufficient (?:information|data)|cannot be (?:answered|determined|known))"
)
_TAIL = r"(?: (?:to me|answer|information|available|given|provided|here|yet|sorry|at this time))*"
_REFUSAL = re.compile(
    rf"{_SORRY}(?:{_WHO}{_CANNOT} {_ADVERB}{_KNOW}\b|{_WHO}{_UNSURE}\b|{_TOPIC}{_UNKNOWN}{_TAIL}$"
    r"|(?:na|n a|no answer|not applicable|none of the above|no comment)$)"
)
_HEDGE = re.compile(
    r"\b(?:but|maybe|perhaps|possibly|probably|guess|might be|could be|may be|i think|i believe|i would say)\b"
)


def is_refusal(prediction: str) -> bool:
    """Whether the answer declines to answer. A refusal followed by a guess ("… but maybe Paris") is an attempt."""
    spoken = " ".join(words(_EMPHASIS.sub(" ", prediction)))
    found = _REFUSAL.match(spoken)
    return found is not None and _HEDGE.search(spoken, found.end()) is None
