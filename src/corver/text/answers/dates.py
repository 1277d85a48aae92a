"""Dates in answers, and when two of them agree.

In: the terms of an answer. Out: its dates, each as precise as it was written: day, month, year, decade or century.
This module knows no words but those of dates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from corver.text.answers.lexicon import word_list
from corver.text.answers.numbers import Term

__all__ = ["DATE_FILLERS", "DECADES", "MONTHS", "Date", "Grain", "agrees", "read_dates"]

Grain: TypeAlias = Literal["year", "month", "day"]

_NAMES = word_list(
    """
        january february march april may june july august september october november december
        """
)
MONTHS = {name: number for number, name in enumerate(_NAMES, start=1)} | {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11,
    "dec": 12,
}  # fmt: skip

DATE_FILLERS = frozenset(
    """
    in on from since early late mid around about circa c ca approximately roughly of the to until till through and
    between by during year years month date utc gmt a an it was at beginning end start middle only when day
    least sometime back exactly spring summer autumn fall winter
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    """.split()  # noqa: SIM905 - a list of words reads as one
)
"""Words that may stand around a date and change nothing about it here."""

_BEFORE_COMMON = frozenset({"bc", "bce"})
_COMMON = frozenset({"ad", "ce"})
_DECADE = re.compile(r"(\d{3}0)s$")
DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70} | {
    "eighties": 80,
    "nineties": 90,
}
_SHORT_DECADE = re.compile(r"(\d0)s$")
_WITHIN = {
    "early": (1, 5), "beginning": (1, 4), "start": (1, 4), "mid": (4, 9), "middle": (4, 9), "late": (8, 12),
    "end": (9, 12), "spring": (3, 6), "summer": (6, 9), "autumn": (9, 12), "fall": (9, 12),
}  # fmt: skip
_CENTURY = frozenset({"century", "centuries"})


@dataclass(frozen=True, slots=True)
class Date:
    """A point in time as precise as it was written. span: years that a decade or century covers, else 1.

    year: negative before the common era; None when only month and day are given.
    """

    year: int | None
    month: int | None = None
    day: int | None = None
    span: int = 1
    within: tuple[int, int] | None = None  # months of "early 2007" or "the summer of 1783"
    marked: bool = False  # an era, a month or a decade says that it is a date; a bare number may be something else


def read_dates(terms: Sequence[Term]) -> tuple[tuple[Date, ...], frozenset[int]]:
    """The dates in a text and the positions of the terms that they take up."""
    dates: list[Date] = []
    taken: set[int] = set()
    at = 0
    while at < len(terms):
        found = _numeric(terms, at) or _with_month(terms, at) or _stretch(terms, at) or _year(terms, at)
        if found is None:
            at += 1
            continue
        date, start, end = found
        dates.append(date)
        taken.update(range(start, end))
        at = end
    return _with_years(dates), frozenset(taken)


def _with_years(dates: Sequence[Date]) -> tuple[Date, ...]:
    """ "October to December 1936": a month without a year takes that of the next date."""
    whole = list(dates)
    for at in range(len(whole) - 2, -1, -1):
        following = whole[at + 1]
        if whole[at].year is None and following.year is not None and following.span == 1:
            whole[at] = replace(whole[at], year=following.year)
    return tuple(whole)


def agrees(said: Date, meant: Date, *, grain: Grain = "year", asked_years: frozenset[int] = frozenset()) -> bool:
    """Whether a date that was said is the one that was meant: equal in all that both say.

    grain: how precise the question wants it at the least. asked_years: years that the question itself names, which an
    answer may leave out.
    """
    if said.span > 1 or meant.span > 1:
        if {said.span, meant.span} == {10, 100}:
            return _is_century(said, meant) or _is_century(meant, said)
        return said.span == meant.span and said.year == meant.year
    if said.year is None or meant.year is None:
        if said.year is None and meant.year is not None and meant.year not in asked_years:
            return False
        if said.month is None or meant.month is None:
            return False
    elif said.year != meant.year:
        return False
    if said.month and meant.month and said.month != meant.month:
        return False
    for one, other in ((said, meant), (meant, said)):
        if one.within and other.month and not one.within[0] <= other.month <= one.within[1]:
            return False
    if said.day and meant.day and said.day != meant.day:
        return False
    too_coarse = (grain == "day" and meant.day and not said.day) or (
        grain in ("day", "month") and meant.month and not said.month
    )
    if said.year is None and meant.day and not said.day:
        return False
    return not too_coarse


def _is_century(decade: Date, century: Date) -> bool:
    """ "The 1500s" are the 16th century, if they are not its first decade."""
    years = decade.year if decade.span == 10 else None
    return years is not None and century.year is not None and years % 100 == 0 and years // 100 + 1 == century.year


def _integer(term: Term) -> int | None:
    return int(term.number) if term.number is not None and term.number.denominator == 1 else None


def _is_year(term: Term) -> bool:
    value = _integer(term)
    return value is not None and not term.ordinal and not term.rounded and 1000 <= value <= 2100


def _is_day(term: Term) -> bool:
    value = _integer(term)
    return value is not None and 1 <= value <= 31 and not term.rounded


def _numeric(terms: Sequence[Term], at: int) -> tuple[Date, int, int] | None:
    """ "2018-10-19", "19.10.2018", "10/19/2018"; where day and month could be either, the month comes first."""
    if at + 2 >= len(terms) or terms[at + 1].gap not in "-/." or terms[at + 2].gap != terms[at + 1].gap:
        return None
    values = [_integer(term) for term in terms[at : at + 3]]
    if any(value is None for value in values) or not terms[at + 1].gap:
        return None
    first, second, third = (value or 0 for value in values)
    if 1000 <= first <= 2100:
        year, month, day = first, second, third
    elif 1000 <= third <= 2100:
        year, month, day = (third, second, first) if first > 12 or terms[at + 1].gap == "." else (third, first, second)
    else:
        return None
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Date(year, month, day, marked=True), at, at + 3


def _with_month(terms: Sequence[Term], at: int) -> tuple[Date, int, int] | None:
    """ "20 July 1969", "July 20th, 1969", "July of 1969", "the 4th of July"."""
    start, month_at, day = at, at, None
    if _is_day(terms[at]):
        month_at = at + 2 if at + 1 < len(terms) and terms[at + 1].word == "of" else at + 1
        day = _integer(terms[at])
    if month_at >= len(terms) or terms[month_at].word not in MONTHS:
        return None
    month, end = MONTHS[terms[month_at].word], month_at + 1
    if day is None and end < len(terms) and _is_day(terms[end]) and not _era_follows(terms, end):
        day, end = _integer(terms[end]), end + 1
    year, end = _year_after(terms, end)
    if year is None and day is None and len(terms) > 1 and terms[month_at].word in ("may", "march", "mar"):
        return None
    return Date(year, month, day, marked=True), start, end


def _year_after(terms: Sequence[Term], at: int) -> tuple[int | None, int]:
    at_year = at + 1 if at < len(terms) and terms[at].word in ("of", "in") else at
    if at_year < len(terms) and (_is_year(terms[at_year]) or _era_follows(terms, at_year)):
        found = _year(terms, at_year)
        if found is not None:
            return found[0].year, found[2]
    return None, at


def _era_follows(terms: Sequence[Term], at: int) -> bool:
    return at + 1 < len(terms) and terms[at + 1].word in (_BEFORE_COMMON | _COMMON)


def _year(terms: Sequence[Term], at: int) -> tuple[Date, int, int] | None:
    value = _integer(terms[at])
    if value is None or value == 0 or terms[at].ordinal or terms[at].rounded:
        return None
    if _era_follows(terms, at):
        before = terms[at + 1].word in _BEFORE_COMMON
        return Date(-value if before else value, marked=True), at, at + 2
    if at > 0 and terms[at - 1].word in _COMMON:
        return Date(value, marked=True), at - 1, at + 1
    return (Date(value, within=_part_of_year(terms, at)), at, at + 1) if _is_year(terms[at]) else None


def _part_of_year(terms: Sequence[Term], at: int) -> tuple[int, int] | None:
    """The months of "early 2007", "the end of 2007", "summer 1783"."""
    before = [term.word for term in terms[max(0, at - 2) : at]]
    for word in reversed(before):
        if word in _WITHIN:
            return _WITHIN[word]
        if word not in ("of", "in"):
            break
    return None


def _stretch(terms: Sequence[Term], at: int) -> tuple[Date, int, int] | None:
    """ "the 1980s", "the 80s", "the 19th century", "second century BC"."""
    word = terms[at].word
    decade = _DECADE.match(word) or _SHORT_DECADE.match(word)
    if decade or word in DECADES:
        value = int(decade[1]) if decade else DECADES[word]
        return Date(value if value > 100 else 1900 + value, span=10, marked=True), at, at + 1
    value_of = _integer(terms[at])
    if value_of is None or not 1 <= value_of <= 30 or at + 1 >= len(terms) or terms[at + 1].word not in _CENTURY:
        return None
    before = at + 2 < len(terms) and terms[at + 2].word in _BEFORE_COMMON
    era = before or (at + 2 < len(terms) and terms[at + 2].word in _COMMON)
    return Date(-value_of if before else value_of, span=100, marked=True), at, at + 2 + era
