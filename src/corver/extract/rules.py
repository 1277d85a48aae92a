"""The extractor without a model: subject-object pairs by closed word lists and the shape of words.

In: passages (the sentences of a text, in order). Out: pairs with the spans they came from. English only; it knows no
meaning: negation and the sense of a relation are left in the relation's words, which the counts do not look at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, TypeAlias

from corver.errors import UsageError
from corver.extract.clauses import Reading, read_pairs
from corver.extract.scan import scan
from corver.extract.subjects import SubjectMemory, is_resolvable, points_to_question, question_subject
from corver.types import Extraction, Pair, Passage

__all__ = ["PronounRule", "RulesExtractor"]

PronounRule: TypeAlias = Literal["last_subject", "off"]

_RULES_VERSION = 2
_MAX_SENTENCE = 2000
"""Code points of a sentence that are read; nobody states a fact in more."""


class RulesExtractor:
    """Pairs by rule, no model and no download.

    resolve_pronouns: `last_subject` puts the last named subject of the same text in a pronoun's place, where gender and
    number do not contradict; `off` leaves pronouns, which no pair rule counts. question_subject: a bare answer
    ("Warsaw."), an unresolved pronoun and a head that only repeats the kind of thing asked for ("The city is Warsaw.")
    borrow the subject of the passage's question.
    """

    def __init__(self, *, resolve_pronouns: PronounRule = "last_subject", question_subject: bool = False) -> None:
        if resolve_pronouns not in ("last_subject", "off"):
            raise UsageError(f"resolve_pronouns is last_subject or off, not {resolve_pronouns!r}")
        self._resolve_pronouns = resolve_pronouns == "last_subject"
        self._question_subject = question_subject

    def extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """One list a passage, one extraction a sentence; best pair first."""
        return [self._read(passage) for passage in passages]

    def fingerprint(self) -> str:
        """16 hex digits over version and options."""
        parts = f"rules {_RULES_VERSION} {self._resolve_pronouns} {self._question_subject}"
        return hashlib.sha256(parts.encode()).hexdigest()[:16]

    def _read(self, passage: Passage) -> list[Extraction]:
        memory = SubjectMemory()
        lent = question_subject(passage.question) if self._question_subject and passage.question else None
        asked = frozenset(passage.question.lower().strip("?").split()) if passage.question else frozenset()
        rows: list[Extraction] = []
        for sentence in passage.sentences:
            reading = read_pairs(scan(sentence[:_MAX_SENTENCE]))
            pairs = _answer(reading, sentence, lent) + self._resolve(reading.pairs, memory, lent, asked)
            rows.append(Extraction(tuple(pairs)))
        return rows

    def _resolve(self, pairs: list[Pair], memory: SubjectMemory, lent: str | None, asked: frozenset[str]) -> list[Pair]:
        """Put names in the place of pronouns, and remember the sentence's own subject for the next one."""
        resolved: list[Pair] = []
        for pair in pairs:
            if is_resolvable(pair.head):
                name = memory.resolve(pair.head) if self._resolve_pronouns else None
                name = name if name is not None else lent
                if name is not None:
                    pair = Pair(name, pair.relation, pair.tail, None, pair.tail_span)
            elif lent is not None and points_to_question(pair.head, asked):
                pair = Pair(lent, pair.relation, pair.tail, None, pair.tail_span)
            resolved.append(pair)
        if not pairs:
            return []
        first = pairs[0]
        if first.head[:1].isupper() and not is_resolvable(first.head):
            memory.note(first.head, plural=" and " in first.head)
        return resolved


def _answer(reading: Reading, sentence: str, lent: str | None) -> list[Pair]:
    """A bare answer is the object of what the question asks about."""
    span = reading.fragment
    if span is None or lent is None or span.of(sentence).casefold() == lent.casefold():
        return []
    return [Pair(lent, "", span.of(sentence), None, span)]
