"""Do two phrases name the same thing, by their words?

In: two answers and the question. Out: yes or no. Names of people are compared as such; of other phrases words may be
missing or added that say nothing new: titles, kinds of things, words of the question. This module knows no dates and no
quantities: a number equals itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from corver.text.answers.amounts import in_question
from corver.text.answers.asking import Question
from corver.text.answers.lexicon import (
    FILLERS,
    KINDS,
    OCCUPATIONS,
    OPPOSED,
    PARTICLES,
    PLAIN_KINDS,
    PREFIXES,
    QUALIFIERS,
    SUFFIX_TITLES,
    TITLES,
)
from corver.text.answers.names import bare_name, is_surname_of, same_person
from corver.text.answers.numbers import Term
from corver.text.answers.places import DEMONYMS, REGION_LEVELS
from corver.text.answers.reading import Answer
from corver.text.answers.wordforms import any_like, one_country, related, same_name, same_word

__all__ = ["is_same_name", "is_same_thing"]

_LEAST_SHARE = 2 / 3
"""Of a phrase that is no name, so much must be said, and so much of what is said must belong to it."""

_BELIEF = re.compile(r"(?:ism|ists?)$")

_LIGHT = FILLERS | QUALIFIERS | TITLES | SUFFIX_TITLES | OCCUPATIONS


def is_same_name(said: Answer, gold: Answer, asked: Question) -> bool:
    """Names of people: both in two words or more, or a surname that the question leaves no doubt about."""
    if not _may_be_person(gold, asked):
        return False
    ours = bare_name([term for term in said.terms if term.word not in ("the", "a", "an")])
    theirs = bare_name([term for term in gold.terms if term.word not in ("the", "a", "an")])
    if same_person(ours, theirs) or ours == theirs:
        return True
    if asked.asked != "who":
        return False
    if len(theirs) == 1:
        return 2 <= len(ours) <= 3 and same_name(theirs[0], ours[-1])  # "Daryl Hall" where Hall is accepted
    if len(ours) == 2 and ours[0] in PARTICLES:
        ours = ours[1:]
    return len(ours) == 1 and is_surname_of(ours[0], theirs)


def _may_be_person(gold: Answer, asked: Question) -> bool:
    """A short run of capitalised words, or anything short when a person is asked for."""
    if not 1 <= len(gold.content) <= 6 or any(word in KINDS for word in gold.words):
        return False
    if gold.terms[0].word == "the":
        return False
    named = [term for term in gold.content if term.word not in PARTICLES]
    return asked.asked == "who" or (asked.asked == "other" and len(named) >= 2 and all(term.capital for term in named))


def is_same_thing(said: Answer, gold: Answer, asked: Question) -> bool:
    """Phrases by their words: what is left over on either side must say nothing new."""
    name = _is_name(gold)
    alike = _same_in_name if _may_be_person(gold, asked) else related
    missing, added = _left_over(said.content, gold.content, alike)
    matched = len(gold.content) - len(missing)
    if not matched or not _distinctive(gold, missing, asked):
        return False
    if all(_may_miss(term, gold, asked) for term in missing) and all(_may_add(term, gold, asked) for term in added):
        return True
    if _is_head(missing, added, gold, asked):
        return True
    if name or matched < 2 or any(term.number is not None or term.capital for term in (*missing, *added)):
        return False  # a number or a name is never just another way to put it
    new = [term for term in gold.content if term not in missing and not any_like(related, term.word, asked.words)]
    return (
        bool(new)
        and matched >= _LEAST_SHARE * len(gold.content)
        and len(said.content) - len(added) >= _LEAST_SHARE * len(said.content)
        and not any(term.word in DEMONYMS or term.word in OPPOSED for term in (*missing, *added))
    )


def _same_in_name(one: str, other: str) -> bool:
    return same_name(one, other) or one_country(one, other) or _same_belief(one, other)


def _same_belief(one: str, other: str) -> bool:
    """ "Buddhism", "Buddhist"; "Catholicism", "Catholic"."""
    return one != other and "ism" in (one[-3:], other[-3:]) and _BELIEF.sub("", one) == _BELIEF.sub("", other)


def _is_head(missing: Sequence[Term], added: Sequence[Term], gold: Answer, asked: Question) -> bool:
    """ "honorific" for "a gender-neutral honorific"; not where the kind is what the question asks for."""
    head = gold.content[-1]
    return (
        not gold.cased
        and not added
        and 2 <= len(gold.content) <= 3
        and head not in missing
        and head.word not in KINDS
        and not asked.kind
        and all(term.word not in OPPOSED and term.word not in PREFIXES and term.number is None for term in missing)
        and not any(term.word in FILLERS for term in gold.terms[1:])
    )


def _left_over(
    said: Sequence[Term], gold: Sequence[Term], alike: Callable[[str, str], bool]
) -> tuple[list[Term], list[Term]]:
    """Terms of the gold without their like in what was said, and terms that were added."""
    free = list(said)
    missing = []
    for term in gold:
        at = next((place for place, other in enumerate(free) if _like(other, term, alike)), None)
        if at is None:
            missing.append(term)
        else:
            free.pop(at)
    return missing, free


def _like(one: Term, other: Term, alike: Callable[[str, str], bool]) -> bool:
    if one.number is not None or other.number is not None:
        return one.number == other.number
    return alike(one.word, other.word)


def _is_name(gold: Answer) -> bool:
    """Capitalised throughout: then endings matter, and nothing may be missing that is not a kind or a title."""
    return gold.cased and all(term.capital or term.number is not None for term in gold.content)


def _distinctive(gold: Answer, missing: Sequence[Term], asked: Question) -> bool:
    """Whether a word was matched that is neither a kind nor a title nor given away by the question."""
    matched = [term for term in gold.content if term not in missing]
    telling = [term for term in matched if term.word not in KINDS and term.word not in _LIGHT]
    if not telling:
        return len(matched) == len(gold.content)
    return len(missing) == 0 or any(not any_like(related, term.word, asked.words) for term in telling)


def _may_miss(term: Term, gold: Answer, asked: Question) -> bool:
    """Whether an answer is whole without this word of the gold."""
    word = term.word
    if term.number is not None:
        return in_question(term.number, asked)
    if word in KINDS:
        # "Indiana" is not Indiana University, but Stanford is.
        rest = [other for other in gold.words if other != word]
        return " ".join(rest) not in REGION_LEVELS or word in asked.words
    return word in _LIGHT or any_like(same_word, word, asked.words)


def _may_add(term: Term, gold: Answer, asked: Question) -> bool:
    """Whether this word, which the gold lacks, changes nothing."""
    word = term.word
    if term.number is not None:
        return in_question(term.number, asked)
    if word in KINDS:
        return word in PLAIN_KINDS or any_like(same_word, word, asked.words)
    return word in _LIGHT or any_like(same_word, word, asked.words)
