"""The extractor without a model: subject-object pairs by closed word lists and the shape of words.

In: passages (the sentences of a text, in order). Out: pairs with the spans they came from. English only; it knows no
meaning: negation and the sense of a relation are left in the relation's words, which the counts do not look at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from corver.extract.clauses import read_pairs
from corver.extract.passages import Lending, PronounRule, settle
from corver.extract.scan import scan
from corver.types import Extraction, Passage

__all__ = ["MAX_SENTENCE", "PronounRule", "RulesExtractor"]

_RULES_VERSION = 3
MAX_SENTENCE = 2000
"""Code points of a sentence that are read; nobody states a fact in more."""


class RulesExtractor:
    """Pairs by rule, no model and no download. The options are those of `Lending`."""

    def __init__(self, *, resolve_pronouns: PronounRule = "last_subject", question_subject: bool = False) -> None:
        self._lending = Lending(resolve_pronouns, question_subject)

    def extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """One list a passage, one extraction a sentence; best pair first."""
        return [
            settle(
                passage, [read_pairs(scan(sentence[:MAX_SENTENCE])) for sentence in passage.sentences], self._lending
            )
            for passage in passages
        ]

    def fingerprint(self) -> str:
        """16 hex digits over version and options."""
        return hashlib.sha256(f"rules {_RULES_VERSION} {self._lending}".encode()).hexdigest()[:16]
