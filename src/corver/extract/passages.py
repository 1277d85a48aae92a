"""What the sentences of a passage lend one another: names for pronouns, the question's subject for bare answers.

In: a passage and, for each of its sentences, the `Reading` of any extractor that looks at one sentence at a time. Out:
the extractions. The options mean the same whoever found the pairs. This module reads no sentence by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from corver.errors import UsageError
from corver.extract.collect import Reading
from corver.extract.subjects import SubjectMemory, is_resolvable, points_to_question, question_subject
from corver.types import Extraction, Pair, Passage

__all__ = ["Lending", "PronounRule", "settle"]

PronounRule: TypeAlias = Literal["last_subject", "off"]


@dataclass(frozen=True, slots=True)
class Lending:
    """resolve_pronouns: `last_subject` puts the last named subject of the same text in a pronoun's place, where gender
    and number do not contradict; `off` leaves pronouns, which no pair rule counts. question_subject: a bare answer
    ("Warsaw."), an unresolved pronoun and a head that only repeats the kind of thing asked for ("The city is Warsaw.")
    borrow the subject of the passage's question.
    """

    resolve_pronouns: PronounRule = "last_subject"
    question_subject: bool = False

    def __post_init__(self) -> None:
        if self.resolve_pronouns not in get_args(PronounRule):
            raise UsageError(f"resolve_pronouns is last_subject or off, not {self.resolve_pronouns!r}")

    def __str__(self) -> str:
        return f"{self.resolve_pronouns == 'last_subject'} {self.question_subject}"


def settle(passage: Passage, readings: Sequence[Reading | Extraction], lending: Lending) -> list[Extraction]:
    """One extraction a sentence, in order. An `Extraction` among the readings, a failure, stays as it is."""
    memory = SubjectMemory()
    question = passage.question
    lent = question_subject(question) if lending.question_subject and question else None
    asked = frozenset(question.lower().strip("?").split()) if question else frozenset()
    rows: list[Extraction] = []
    for sentence, reading in zip(passage.sentences, readings, strict=True):
        if isinstance(reading, Extraction):
            rows.append(reading)
            continue
        named = _name_heads(reading.pairs, memory if lending.resolve_pronouns != "off" else None, lent, asked)
        rows.append(Extraction(tuple(_answer(reading, sentence, lent) + named), note=reading.note))
        _note(reading, memory)
    return rows


def _name_heads(
    pairs: Sequence[Pair], memory: SubjectMemory | None, lent: str | None, asked: frozenset[str]
) -> list[Pair]:
    """Put names in the place of pronouns and of heads that only point to the question."""
    named: list[Pair] = []
    for pair in pairs:
        name: str | None = None
        if is_resolvable(pair.head):
            name = memory.resolve(pair.head) if memory is not None else None
            name = name if name is not None else lent
        elif lent is not None and points_to_question(pair.head, asked):
            name = lent
        named.append(pair if name is None else Pair(name, pair.relation, pair.tail, None, pair.tail_span))
    return named


def _note(reading: Reading, memory: SubjectMemory) -> None:
    """Remember the sentence's own subject for the next one."""
    name = reading.pairs[0].head if reading.pairs else reading.subject
    if name and name[0].isupper() and not is_resolvable(name):
        memory.note(name, plural=" and " in name)


def _answer(reading: Reading, sentence: str, lent: str | None) -> list[Pair]:
    """A bare answer is the object of what the question asks about."""
    span = reading.fragment
    if span is None or lent is None or span.of(sentence).casefold() == lent.casefold():
        return []
    return [Pair(lent, "", span.of(sentence), None, span)]
