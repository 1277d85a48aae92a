"""The support named `paper`: the levels of the count of one pair (arXiv 2605.29648, section 3).

In: a counter, an extractor, levels, a rule. Out: verdicts with pair, words, count and level. A whole batch costs one
call of the extractor and one of the counter. A failure is never a number: an approximate count of 0 is one too, since
an estimate is no proof that the corpus lacks a pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from corver.errors import ExtractionError, LookupFailedError, UsageError
from corver.reward.aliases import Aliases
from corver.reward.levels import PAPER_LEVELS, Levels
from corver.reward.repetition import guard_repetition
from corver.reward.select import RULES, Claim, PairRule, claims_of, decide
from corver.types import Clause, Count, Counter, Extraction, Extractor, Passage, SentenceScore, Span, Status

__all__ = ["APPROXIMATE", "MAX_WINDOW", "PaperSupport"]

APPROXIMATE = "the count is an estimate"
"""The reason carried by a verdict whose count the backend estimated."""

MAX_WINDOW = 1_000_000

_Counts: TypeAlias = dict[tuple[Clause, ...], Count | LookupFailedError]


class PaperSupport:
    """Levels of counts.

    window: words. rule: which pairs of a sentence speak for it. aliases: other names that count as well. exact_counts:
    count to the end instead of stopping at the top level's threshold; rewards do not depend on it.
    """

    def __init__(
        self,
        *,
        index: Counter,
        extractor: Extractor,
        window: int = 1000,
        levels: Levels = PAPER_LEVELS,
        rule: PairRule = "first",
        aliases: Aliases | None = None,
        exact_counts: bool = False,
    ) -> None:
        if not 0 <= window <= MAX_WINDOW:
            raise UsageError(f"the window must lie between 0 and {MAX_WINDOW:,} words, not {window}")
        if rule not in RULES:
            raise UsageError(f"unknown rule {rule!r}: choose one of {', '.join(RULES)}")
        self._index = index
        self._extractor = extractor
        self._window = window
        self._levels = levels
        self._rule: PairRule = rule
        self._aliases = aliases
        self._cap = None if exact_counts else levels.cap

    def verdicts(self, passages: Sequence[Passage], spans: Sequence[Sequence[Span]]) -> list[list[SentenceScore]]:
        """Extract, count all distinct queries at once, and put each sentence on its level."""
        extractions = self._extract(passages)
        claims = [[claims_of(extraction.pairs, self._rule, self._aliases) for extraction in row] for row in extractions]
        counts = self._count([query for row in claims for some in row for claim in some for query in claim.queries])
        return [
            [
                self._verdict(span, sentence, extraction, some, counts)
                for span, sentence, extraction, some in zip(row, passage.sentences, found, rows, strict=True)
            ]
            for row, passage, found, rows in zip(spans, passages, extractions, claims, strict=True)
        ]

    def guard(self, scores: Sequence[SentenceScore]) -> list[SentenceScore]:
        """A pair is rewarded once a completion."""
        return guard_repetition(scores)

    def settings(self) -> Mapping[str, Any]:
        """Extractor, window, levels, rule and aliases."""
        named = {} if self._aliases is None else {"aliases": self._aliases.fingerprint()}
        return named | {
            "extractor": self._extractor.fingerprint(),
            "window": self._window,
            "thresholds": self._levels.thresholds,
            "rewards": self._levels.rewards,
            "no_claim": self._levels.no_claim,
            "rule": self._rule,
        }

    def _extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """All extractions in one call; when that fails as a whole, a passage at a time."""
        try:
            return self._extractor.extract(passages)
        except ExtractionError as error:
            if len(passages) == 1:
                return [[Extraction(failure=str(error))] * len(passages[0].sentences)]
            return [row for passage in passages for row in self._extract([passage])]

    def _count(self, queries: Sequence[tuple[Clause, ...]]) -> _Counts:
        """The counts of the distinct queries in one call; when that fails as a whole, a query at a time."""
        distinct = list(dict.fromkeys(queries))
        if not distinct:
            return {}
        try:
            counts = self._index.count_many(distinct, window=self._window, cap=self._cap)
        except LookupFailedError as error:
            if len(distinct) == 1:
                return {distinct[0]: error}
            return {query: result for one in distinct for query, result in self._count([one]).items()}
        return dict(zip(distinct, counts, strict=True))

    def _verdict(
        self, span: Span, sentence: str, extraction: Extraction, claims: Sequence[Claim], counts: _Counts
    ) -> SentenceScore:
        if extraction.failure is not None:
            return SentenceScore(span, sentence, Status.FAILED, math.nan, reason=extraction.failure)
        if not claims:
            return SentenceScore(span, sentence, Status.NO_CLAIM, self._levels.no_claim, reason=extraction.note)
        found: list[list[Count]] = []
        for claim in claims:
            results = [counts[query] for query in claim.queries]
            failure = next((result for result in results if isinstance(result, LookupFailedError)), None)
            if failure is not None:
                return _failed(span, sentence, claim, str(failure))
            found.append([result for result in results if isinstance(result, Count)])
        verdict = decide(claims, found)
        claim, count = verdict.claim, verdict.count
        if count.approx and count.value == 0:
            return _failed(span, sentence, claim, APPROXIMATE)
        level = max(0, self._levels.level(count.value) - verdict.demoted)
        return SentenceScore(
            span=span,
            text=sentence,
            status=Status.SUPPORTED if count.value else Status.UNSUPPORTED,
            reward=self._levels.rewards[level],
            pair=claim.pair,
            words=claim.words,
            count=count.value,
            capped=count.capped,
            level=level,
            reason=APPROXIMATE if count.approx else extraction.note,
        )


def _failed(span: Span, sentence: str, claim: Claim, reason: str) -> SentenceScore:
    return SentenceScore(span, sentence, Status.FAILED, math.nan, claim.pair, claim.words, reason=reason)
