"""The rule `lenient`: does an answer mean one of the accepted ones, however it is put?

In: a prediction, the accepted answers, and the question if it is known. Out: yes or no. What is a date, a quantity or
a person's name is compared as such; other answers by their words, in any inflection and order, of which those may be
missing or added that say nothing new: titles, kinds of things ("the Zambezi River"), words of the question, the
country behind a town. An answer that names several candidates is right only if each is. A number is never waived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corver.text.answers.amounts import dates_agree, numbers_agree, quantities_agree
from corver.text.answers.asking import Question, read_question
from corver.text.answers.candidates import Candidates, list_candidates
from corver.text.answers.choices import same_choice
from corver.text.answers.lexicon import (
    KINDS,
    NEGATIONS,
    YES_NO,
)
from corver.text.answers.mentions import stands_in
from corver.text.answers.names import same_person
from corver.text.answers.phrases import is_same_name, is_same_thing
from corver.text.answers.places import apart
from corver.text.answers.reading import Answer, denies, gold_variants, read_answer
from corver.text.answers.refusals import is_doubt
from corver.text.answers.shortforms import is_short_for
from corver.text.answers.wordforms import any_like, same_word

__all__ = ["lenient_match"]

_ASKS_FOR_REGION = frozenset({"country", "state", "nation", "province", "county", "countries", "region", "continent"})


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
    meant = [gold for gold in meant if not _is_given(said, gold, asked)]
    if any(_same_place(said, gold) for gold in meant):
        return True
    if (verdict := _yes_or_no(said, meant)) is not None:
        return verdict
    if is_doubt(prediction):
        return False
    candidates = list_candidates(said.text, asked)
    if len(candidates.items) == 2 and _is_turned(said.text, meant):
        return True
    if len(candidates.items) > 1:
        return _all_right(candidates, meant, asked)
    # Only what is named counts, not what is added to it or stands in brackets: "London (Paris)", "Rome, in Paris".
    named = replace(read_answer(candidates.items[0]), region=said.region)
    dated = said if len(said.dates) == 1 and not candidates.alternative else named
    for gold in meant:
        if _is_region_asked(named, asked) and any(
            _agrees(read_answer(region), gold, asked) for region in candidates.regions
        ):
            return True
        if _other_place(named, gold):
            continue
        if _agrees(dated if gold.date_only else named, gold, asked) or stands_in(
            named, gold, asked, extra_words=extra_words
        ):
            return True
        if same_choice(named, gold, question) and not denies(named):
            return True
    return False


def _is_region_asked(named: Answer, asked: Question) -> bool:
    """Whether the region behind a place is the answer: it is asked for, or the question says the rest."""
    if not _ASKS_FOR_REGION.isdisjoint(asked.words):
        return True
    return not denies(named) and all(any_like(same_word, word, asked.words) or word in KINDS for word in named.words)


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


def _same_place(said: Answer, gold: Answer) -> bool:
    """Two names of one country, its people or a city; and nothing else."""
    return gold.place is not None and gold.place == said.place


def _other_place(said: Answer, gold: Answer) -> bool:
    """Both are countries, and not the same: "Republic of China" is not China, nor Dominica the Dominican Republic."""
    return said.place is not None and gold.place is not None and said.place != gold.place


def _is_given(said: Answer, gold: Answer, asked: Question) -> bool:
    """Whether an answer only repeats the question and the accepted one does not: "what does NASA stand for".

    Not where the question gives answers to choose from.
    """
    if asked.choice or not all(word in asked.words for word in said.words):
        return False
    return not all(word in asked.words for word in gold.words)


def _agrees(said: Answer, gold: Answer, asked: Question) -> bool:
    """Whether one thing that was said is one thing that is accepted."""
    if not said.terms:
        return False
    if apart(said.region, gold.region) or _other_place(said, gold):
        return False
    if _same_words(said, gold) or _same_place(said, gold):
        return True
    if gold.date_only and (asked.asked != "quantity" or gold.dates[0].marked):
        return dates_agree(said, gold, asked)
    if gold.quantity or (asked.asked == "quantity" and len(gold.numbers) == 1):
        return quantities_agree(said, gold, asked)
    if asked.asked == "when" and said.date_only and len(gold.dates) == 1 and len(gold.numbers) == 1:
        return dates_agree(said, gold, asked)
    if is_short_for(said, gold):
        return True
    if denies(said) != denies(gold) or not numbers_agree(said, gold, asked):
        return False
    return is_same_name(said, gold, asked) or is_same_thing(said, gold, asked)
