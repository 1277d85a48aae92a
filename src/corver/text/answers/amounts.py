"""Do two answers give the same dates, or the same quantities?

In: two answers and the question. Out: yes or no. The question says how precise a date must be, and which nouns a number
may come without. This module knows no names.
"""

from __future__ import annotations

from corver.text.answers.asking import Question
from corver.text.answers.dates import Date, agrees
from corver.text.answers.lexicon import (
    KINDS,
    MEASURES,
    QUALIFIERS,
)
from corver.text.answers.quantities import same_quantity, same_total, total_of, unit_of
from corver.text.answers.reading import Answer, denies
from corver.text.answers.wordforms import any_like, related, same_word

__all__ = ["dates_agree", "in_question", "numbers_agree", "quantities_agree"]

_PERIODS = frozenset({"hourly", "daily", "nightly", "weekly", "monthly", "quarterly"})
_MOST_COUNTED = 4
"""How many words may say what was counted."""


def dates_agree(said: Answer, gold: Answer, asked: Question) -> bool:
    """Every date that was said is meant, and every one that is meant was said; one may stand for both ends in it."""
    if not said.dates or denies(said) or (asked.asked != "when" and not said.date_only and not gold.dates[0].marked):
        return False
    if not said.date_only and _has_other_numbers(said):
        return False

    def fits(one: Date, other: Date) -> bool:
        return agrees(one, other, grain=asked.grain, asked_years=asked.years)

    return all(any(fits(one, other) for other in gold.dates) for one in said.dates) and all(
        any(fits(one, other) for one in said.dates) for other in gold.dates
    )


def _has_other_numbers(said: Answer) -> bool:
    years = {date.year for date in said.dates} | {date.day for date in said.dates}
    return any(term.number not in years for term in said.numbers)


def quantities_agree(said: Answer, gold: Answer, asked: Question) -> bool:
    """The same numbers in the same order, in units that are the same or can be converted.

    A number may come without the noun that was counted only if the question names it or asks for a quantity.
    """
    if denies(said):
        return False
    if len(said.numbers) > 1 or len(gold.numbers) > 1:
        ours, theirs = total_of(said.content), total_of(gold.content)
        if ours is not None and theirs is not None:
            return same_total(ours, theirs)
    if len(said.numbers) != len(gold.numbers):
        return False
    if not _PERIODS.isdisjoint(set(said.words) ^ set(gold.words)):
        return False
    said_unit, gold_unit = _unit(said), _unit(gold)
    if (_is_power(said) or _is_power(gold)) and said_unit != gold_unit:
        return False
    if not all(
        same_quantity(one, said_unit, other, gold_unit) for one, other in zip(said.numbers, gold.numbers, strict=True)
    ):
        return False
    left = [term.word for term in gold.content if term.number is None and term.word not in QUALIFIERS]
    have = [term.word for term in said.content if term.number is None and term.word not in QUALIFIERS]
    if asked.asked == "quantity":
        return len(left) <= _MOST_COUNTED and len(have) <= _MOST_COUNTED
    unsaid = [word for word in left if not any_like(same_word, word, have) and unit_of(word) is None]
    added = [word for word in have if not any_like(same_word, word, left) and unit_of(word) is None]
    if any(word not in KINDS and word not in MEASURES and not any_like(related, word, asked.words) for word in unsaid):
        return False
    return len(added) <= 2 and all(
        any_like(related, word, asked.words) or word in KINDS or word in MEASURES for word in added
    )


def _unit(answer: Answer) -> str | None:
    return next((term.word for term in answer.content if term.number is None and unit_of(term.word)), None)


def _is_power(answer: Answer) -> bool:
    """Square and cubic units, and rates: not converted."""
    return any(term.word in ("square", "cubic", "per", "sq") for term in answer.terms)


def numbers_agree(said: Answer, gold: Answer, asked: Question) -> bool:
    """No number of either side may be without its like on the other, but those of the question."""
    ours, theirs = [{term.number for term in side.numbers} for side in (said, gold)]
    return all(in_question(number, asked) for number in ours ^ theirs)


def in_question(number: object, asked: Question) -> bool:
    return str(number) in asked.words
