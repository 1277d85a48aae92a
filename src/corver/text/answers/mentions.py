"""Does an accepted answer stand in a longer one, as the thing that it answers with?

In: a longer answer, an accepted one, the question. Out: yes or no. The accepted answer must stand there as whole words
in a row, not be denied, and not be a piece of another name: "Indiana" in "Indiana State University", "Hastings" in
"Battle of Hastings". This module knows no lists of candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

from corver.text.answers.asking import Question
from corver.text.answers.lexicon import FILLERS, KINDS, NEGATIONS, OCCUPATIONS, OPPOSED, PLAIN_KINDS, PREFIXES, TITLES
from corver.text.answers.numbers import Term
from corver.text.answers.places import DEMONYMS, REGION_LEVELS, apart
from corver.text.answers.reading import Answer
from corver.text.answers.wordforms import same_name, same_word
from corver.text.stopwords import STOPWORDS

__all__ = ["stands_in"]

_DENIAL_REACH = 4
_VERBS = frozenset(
    """
    won wrote played plays sang invented discovered founded became become becomes died lived lives made makes built
    created directed starred stars voiced portrayed did does came comes began started ended happened took occurred
    because when who which that where while although though however since played performed led ruled served
    """.split()  # noqa: SIM905 - a list of words reads as one
)


def stands_in(said: Answer, gold: Answer, asked: Question, *, extra_words: int) -> bool:
    """Whether the gold is named in what was said. extra_words: how many more words that may hold."""
    wanted = gold.core
    if gold.short:
        return False
    if len(said.terms) > len(gold.terms) + extra_words or len(said.terms) <= len(wanted):
        return False
    if apart(said.region, gold.region):
        return False
    if gold.quantity or (len(wanted) == 1 and wanted[0].number is not None):
        return False
    terms = [term for term in said.terms if term.word != "the"]
    return any(
        end is not None and _is_free(terms, start, end, wanted, said, asked)
        for start in range(len(terms) - len(wanted) + 1)
        if (end := _ends(terms, start, wanted)) is not None
    )


def _ends(terms: Sequence[Term], start: int, wanted: Sequence[Term]) -> int | None:
    """Where the wanted terms end that begin here; one further name may stand inside a name of two or three words."""
    at = start
    slack = 1 if 2 <= len(wanted) <= 3 and all(term.capital for term in wanted) else 0
    for place, term in enumerate(wanted):
        if at < len(terms) and _like(terms[at], term):
            at += 1
        elif slack and place and at + 1 < len(terms) and _like(terms[at + 1], term) and terms[at].word not in STOPWORDS:
            at, slack = at + 2, 0
        else:
            return None
    return at


def _like(one: Term, other: Term) -> bool:
    if one.number is not None or other.number is not None:
        return one.number == other.number
    return same_name(one.word, other.word) if other.capital else same_word(one.word, other.word)


def _is_free(
    terms: Sequence[Term], start: int, end: int, wanted: Sequence[Term], said: Answer, asked: Question
) -> bool:
    """Whether the terms from start to end stand for themselves."""
    before = [term.word for term in terms[max(0, start - _DENIAL_REACH) : start]]
    if not NEGATIONS.isdisjoint(before):
        return False
    return _free_before(terms, start, wanted, said, asked) and _free_behind(terms, end, said, asked)


def _free_before(terms: Sequence[Term], start: int, wanted: Sequence[Term], said: Answer, asked: Question) -> bool:
    if start == 0 or not _adjacent(terms[start]):
        return True
    last = terms[start - 1]
    if last.word in PREFIXES and last.word not in asked.words:
        return last.word in TITLES and asked.asked == "who"
    if last.word == "of":
        return start < 2 or _plain(terms[start - 2], said, asked) or terms[start - 2].word in STOPWORDS
    if last.word in FILLERS or last.word in STOPWORDS or _describes(last, asked):
        return True
    if last.number is not None:
        return False
    if not any(term.capital for term in wanted) and last.word not in OPPOSED:
        return True  # "primary bronchi" for bronchi
    # A given name before a surname; "George Washington" is no place.
    if asked.asked == "who":
        return True
    return len(wanted) > 1 or (said.cased and wanted[0].capital and not last.capital)


def _free_behind(terms: Sequence[Term], end: int, said: Answer, asked: Question) -> bool:
    if end >= len(terms) or not _adjacent(terms[end]):
        return True
    following = terms[end]
    if following.number is not None:
        return 1000 <= following.number <= 2100 and terms[end - 1].number is None
    if following.word in FILLERS or following.word in STOPWORDS or following.word in _VERBS:
        return True
    if following.word in REGION_LEVELS or (following.word in asked.words and following.word not in KINDS):
        return True
    if following.word in KINDS:
        plain = any(same_word(following.word, word) for word in asked.words) or following.word in PLAIN_KINDS
        return plain and _free_behind(terms, end + 1, said, asked)
    if asked.asked == "who" and end == 1 and len(terms) == 2:
        return True  # "Sara Harvey" for Sara
    return said.cased and terms[end - 1].capital and not following.capital


def _plain(term: Term, said: Answer, asked: Question) -> bool:
    """Before "of": a kind of place or a word of the question keeps the name behind it as the answer."""
    return term.word in asked.words or term.word in (
        "city", "town", "state", "country", "village", "province", "island", "county", "region", "kingdom",
    )  # fmt: skip


def _describes(term: Term, asked: Question) -> bool:
    word = term.word
    return word in TITLES or word in OCCUPATIONS or word in DEMONYMS or word in KINDS or word in asked.words


def _adjacent(term: Term) -> bool:
    """Nothing but a blank or a hyphen before it: no comma, no bracket."""
    return set(term.gap) <= {" ", "-"}
