"""The rule `lenient`: does an answer mean one of the accepted ones, however it is put?

In: a prediction, the accepted answers, and the question if it is known. Out: yes or no. What is a date, a quantity or
a person's name is compared as such; other answers by their words, in any inflection and order, of which those may be
missing or added that say nothing new: titles, kinds of things ("the Zambezi River"), words of the question, the
country behind a town. An answer that names several candidates is right only if each is. A number is never waived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from corver.text.answers.candidates import Candidates, list_candidates
from corver.text.answers.dates import Date, agrees
from corver.text.answers.lexicon import (
    ABBREVIATIONS,
    DEMONYMS,
    FILLERS,
    KINDS,
    NEGATIONS,
    OCCUPATIONS,
    OPPOSED,
    PARTICLES,
    PLAIN_KINDS,
    PREFIXES,
    QUALIFIERS,
    REGION_LEVELS,
    SUFFIX_TITLES,
    TITLES,
    YES_NO,
)
from corver.text.answers.mentions import stands_in
from corver.text.answers.names import bare_name, is_surname_of, same_person
from corver.text.answers.numbers import Term
from corver.text.answers.quantities import same_quantity, unit_of
from corver.text.answers.reading import Answer, Question, gold_variants, read_answer, read_question
from corver.text.answers.wordforms import one_country, related, same_name, same_word

__all__ = ["lenient_match"]

_LEAST_SHARE = 2 / 3
"""Of a phrase that is no name, so much must be said, and so much of what is said must belong to it."""

_ASKS_FOR_REGION = frozenset({"country", "state", "nation", "province", "county", "countries", "region", "continent"})
_MOST_COUNTED = 4
"""How many words may say what was counted."""

_LIGHT = FILLERS | QUALIFIERS | TITLES | SUFFIX_TITLES | OCCUPATIONS


def lenient_match(prediction: str, golds: Sequence[str], *, question: str | None = None, extra_words: int = 12) -> bool:
    """Whether the prediction means one of the golds. extra_words: how many more words than the gold it may hold."""
    said = read_answer(prediction)
    if not said.terms:
        return False
    asked = read_question(question)
    meant = [
        variant for gold in golds for variant in gold_variants(gold) if not said.initials.isdisjoint(variant.initials)
    ]
    if any(_same_words(said, gold) for gold in meant):
        return True
    if (verdict := _yes_or_no(said, meant)) is not None:
        return verdict
    candidates = list_candidates(said.text, asked)
    if len(candidates.items) == 2 and _is_turned(said.text, meant):
        return True
    if len(candidates.items) > 1:
        return _all_right(candidates, meant, asked)
    # Only what is named counts, not what is added to it or stands in brackets: "London (Paris)", "Rome, in Paris".
    named = replace(read_answer(candidates.items[0]), region=said.region)
    dated = said if len(said.dates) == 1 and not candidates.alternative else named
    for gold in meant:
        if _agrees(dated if gold.date_only else named, gold, asked) or stands_in(
            named, gold, asked, extra_words=extra_words
        ):
            return True
        if not _ASKS_FOR_REGION.isdisjoint(asked.words) and any(
            _agrees(read_answer(region), gold, asked) for region in candidates.regions
        ):
            return True
    return False


def _yes_or_no(said: Answer, golds: Sequence[Answer]) -> bool | None:
    """The verdict where yes or no is the accepted answer: the first word counts, and the other one must not follow."""
    wanted = {YES_NO[gold.terms[0].word] for gold in golds if len(gold.terms) == 1 and gold.terms[0].word in YES_NO}
    first = YES_NO.get(said.terms[0].word)
    if not wanted or first is None:
        return None
    return first in wanted and all(YES_NO.get(term.word, first) == first for term in said.terms)


def _is_turned(text: str, golds: Sequence[Answer]) -> bool:
    """ "Shelley, Mary" for Mary Shelley."""
    last, comma, given = text.partition(",")
    if any(word in NEGATIONS for word in text.lower().split()):
        return False
    turned = read_answer(f"{given.strip()} {last.strip()}").words if comma else ()
    return 2 <= len(turned) <= 4 and any(same_person(turned, gold.words) for gold in golds if gold.cased)


def _all_right(candidates: Candidates, golds: Sequence[Answer], asked: Question) -> bool:
    """Whether the candidates are the parts of one list that is accepted, or each is an accepted answer."""
    said = [read_answer(item) for item in candidates.items]
    for gold in golds:
        parts = list_candidates(gold.text, asked)
        if len(parts.items) == len(said) and not candidates.alternative:
            meant = [read_answer(part) for part in parts.items]
            if all(any(_agrees(one, other, asked) for other in meant) for one in said) and all(
                any(_agrees(one, other, asked) for one in said) for other in meant
            ):
                return True
    return all(any(_agrees(one, gold, asked) for gold in golds) for one in said)


def _same_words(said: Answer, gold: Answer) -> bool:
    """The same words in the same order, wherever they are written apart or together."""
    if said.words == gold.words:
        return True
    return "".join(said.words) == "".join(gold.words) and not gold.numbers


def _agrees(said: Answer, gold: Answer, asked: Question) -> bool:
    """Whether one thing that was said is one thing that is accepted."""
    if not said.terms:
        return False
    if said.region and gold.region and said.region != gold.region:
        return False
    if _same_words(said, gold):
        return True
    if gold.date_only and (asked.asked != "quantity" or gold.dates[0].marked):
        return _dates_agree(said, gold, asked)
    if gold.quantity or (asked.asked == "quantity" and len(gold.numbers) == 1):
        return _quantities_agree(said, gold, asked)
    if asked.asked == "when" and said.date_only and len(gold.dates) == 1 and len(gold.numbers) == 1:
        return _dates_agree(said, gold, asked)
    if _is_short_for(said, gold):
        return True
    if _denies(said) != _denies(gold) or not _numbers_agree(said, gold, asked):
        return False
    return _is_same_name(said, gold, asked) or _is_same_thing(said, gold, asked)


def _dates_agree(said: Answer, gold: Answer, asked: Question) -> bool:
    """Every date that was said is meant, and every one that is meant was said; one may stand for both ends in it."""
    if not said.dates or _denies(said) or (asked.asked != "when" and not said.date_only and not gold.dates[0].marked):
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


def _quantities_agree(said: Answer, gold: Answer, asked: Question) -> bool:
    """The same numbers in the same order, in units that are the same or can be converted.

    A number may come without the noun that was counted only if the question names it or asks for a quantity.
    """
    if len(said.numbers) != len(gold.numbers) or _denies(said):
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
    unsaid = [word for word in left if not _any(same_word, word, have) and unit_of(word) is None]
    added = [word for word in have if not _any(same_word, word, left) and unit_of(word) is None]
    if any(word not in KINDS and not _any(related, word, asked.words) for word in unsaid):
        return False
    return len(added) <= 2 and all(_any(related, word, asked.words) or word in KINDS for word in added)


def _unit(answer: Answer) -> str | None:
    return next((term.word for term in answer.content if term.number is None and unit_of(term.word)), None)


def _is_power(answer: Answer) -> bool:
    """Square and cubic units, and rates: not converted."""
    return any(term.word in ("square", "cubic", "per", "sq") for term in answer.terms)


def _denies(answer: Answer) -> bool:
    return any(term.word in NEGATIONS for term in answer.terms)


def _numbers_agree(said: Answer, gold: Answer, asked: Question) -> bool:
    """No number of either side may be without its like on the other, but those of the question."""
    ours, theirs = [{term.number for term in side.numbers} for side in (said, gold)]
    return all(_in_question(number, asked) for number in ours ^ theirs)


def _in_question(number: object, asked: Question) -> bool:
    return str(number) in asked.words


def _is_short_for(said: Answer, gold: Answer) -> bool:
    """ "SVR" for "SVR RF"'s long form, "KKK" for "Ku Klux Klan", "NYC", either way round."""
    return _abbreviates(said, gold) or _abbreviates(gold, said)


def _abbreviates(short: Answer, long: Answer) -> bool:
    words = [word for word in short.words if word not in KINDS] or list(short.words)
    if len(words) != 1 or not words[0].isalpha() or len(long.content) < 2:
        return False
    letters, content = words[0], long.words
    known = ABBREVIATIONS.get(letters)
    if known is not None and (content == known or content[: len(known)] == known):
        return len(known) > 1
    if not 2 <= len(letters) <= 7 or (len(letters) < 3 and not short.terms[0].capital):
        return False
    initials = "".join(word[0] for word in content)
    every = "".join(term.word[0] for term in long.terms)
    return len(content) >= 3 and letters in (initials, every)


def _is_same_name(said: Answer, gold: Answer, asked: Question) -> bool:
    """Names of people: both in two words or more, or a surname that the question leaves no doubt about."""
    if not _may_be_person(gold, asked):
        return False
    ours = bare_name([term for term in said.terms if term.word not in ("the", "a", "an")])
    theirs = bare_name([term for term in gold.terms if term.word not in ("the", "a", "an")])
    if same_person(ours, theirs) or ours == theirs:
        return True
    if asked.asked != "who" and not gold.cased:
        return False
    return len(ours) == 1 and asked.asked == "who" and is_surname_of(ours[0], theirs)


def _may_be_person(gold: Answer, asked: Question) -> bool:
    """A short run of capitalised words, or anything short when a person is asked for."""
    if not 1 <= len(gold.content) <= 6 or any(word in KINDS for word in gold.words):
        return False
    if gold.terms[0].word == "the":
        return False
    named = [term for term in gold.content if term.word not in PARTICLES]
    return asked.asked == "who" or (asked.asked == "other" and len(named) >= 2 and all(term.capital for term in named))


def _is_same_thing(said: Answer, gold: Answer, asked: Question) -> bool:
    """Phrases by their words: what is left over on either side must say nothing new."""
    name = _is_name(gold)
    alike = _same_in_name if _may_be_person(gold, asked) else related
    missing, added = _left_over(said.content, gold.content, alike)
    matched = len(gold.content) - len(missing)
    if not matched or not _distinctive(gold, missing, asked):
        return False
    if all(_may_miss(term, gold, asked) for term in missing) and all(_may_add(term, gold, asked) for term in added):
        return True
    if _is_head(missing, added, gold, asked) or _is_abbreviated(said, gold):
        return True
    if name or matched < 2 or any(term.number is not None or term.capital for term in (*missing, *added)):
        return False  # a number or a name is never just another way to put it
    new = [term for term in gold.content if term not in missing and not _any(related, term.word, asked.words)]
    return (
        bool(new)
        and matched >= _LEAST_SHARE * len(gold.content)
        and len(said.content) - len(added) >= _LEAST_SHARE * len(said.content)
        and not any(term.word in DEMONYMS or term.word in OPPOSED for term in (*missing, *added))
    )


def _same_in_name(one: str, other: str) -> bool:
    return same_name(one, other) or one_country(one, other)


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


def _is_abbreviated(said: Answer, gold: Answer) -> bool:
    """ "C. capillata" for "Cyanea capillata"."""
    ours, theirs = said.words, gold.words
    return (
        len(ours) == len(theirs) == 2
        and ours[1] == theirs[1]
        and 1 in (len(ours[0]), len(theirs[0]))
        and ours[0][0] == theirs[0][0]
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
    return len(missing) == 0 or any(not _any(related, term.word, asked.words) for term in telling)


def _may_miss(term: Term, gold: Answer, asked: Question) -> bool:
    """Whether an answer is whole without this word of the gold."""
    word = term.word
    if term.number is not None:
        return _in_question(term.number, asked)
    if word in KINDS:
        # "Indiana" is not Indiana University, but Stanford is.
        rest = [other for other in gold.words if other != word]
        return " ".join(rest) not in REGION_LEVELS or word in asked.words
    return word in _LIGHT or _any(same_word, word, asked.words)


def _may_add(term: Term, gold: Answer, asked: Question) -> bool:
    """Whether this word, which the gold lacks, changes nothing."""
    word = term.word
    if term.number is not None:
        return _in_question(term.number, asked)
    if word in KINDS:
        return word in PLAIN_KINDS or _any(same_word, word, asked.words)
    return word in _LIGHT or _any(same_word, word, asked.words)


def _any(alike: Callable[[str, str], bool], word: str, others: Sequence[str] | frozenset[str]) -> bool:
    return word in others or any(alike(word, other) for other in others)
