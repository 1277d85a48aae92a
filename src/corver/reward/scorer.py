"""The scorer: texts or rollouts in, a verdict a sentence out.

In: a counter (an index), an extractor, and the settings of the support. Out: `SentenceScore`s with offsets into the
untouched text. A whole batch costs one call of the extractor and one of the counter. This module knows neither tokens
nor advantages, and no file format.

A failure is never a number: a sentence whose extraction or look-up failed has the status `failed` and reward NaN, and
an approximate count of 0 counts as a failure, since an estimate is no proof that the corpus lacks a pair.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from corver.errors import ExtractionError, LookupFailedError, UsageError
from corver.extract.rules import RulesExtractor
from corver.reward.levels import PAPER_LEVELS, Levels
from corver.reward.repetition import guard_repetition
from corver.reward.select import RULES, Claim, PairRule, claims_of, decide
from corver.text.rollout import rollout_sentences
from corver.text.sentences import split_sentences
from corver.types import (
    Count,
    Counter,
    Extraction,
    Extractor,
    Passage,
    Rollout,
    ScoredText,
    SentenceScore,
    Span,
    Status,
)

__all__ = ["APPROXIMATE", "CooccurrenceReward", "Scorer"]

APPROXIMATE = "the count is an estimate"
"""The reason carried by a verdict whose count the backend estimated."""

_Counts: TypeAlias = dict[tuple[str, ...], Count | LookupFailedError]
_SCORER_VERSION = 1
_MAX_WINDOW = 1_000_000


class Scorer:
    """Scores sentences by how often their subject and object stand together in a corpus.

    index: anything that counts. extractor: `RulesExtractor()` unless given. window: words. levels: counts to rewards.
    rule: which pairs of a sentence speak for it. repetition_guard: a pair is rewarded once a text. exact_counts: count
    to the end instead of stopping at the top level's threshold; rewards do not depend on it.
    """

    def __init__(
        self,
        *,
        index: Counter,
        extractor: Extractor | None = None,
        window: int = 1000,
        levels: Levels = PAPER_LEVELS,
        rule: PairRule = "first",
        repetition_guard: bool = True,
        exact_counts: bool = False,
    ) -> None:
        if not 0 <= window <= _MAX_WINDOW:
            raise UsageError(f"the window must lie between 0 and {_MAX_WINDOW:,} words, not {window}")
        if rule not in RULES:
            raise UsageError(f"unknown rule {rule!r}: choose one of {', '.join(RULES)}")
        self._index = index
        self._extractor = extractor if extractor is not None else RulesExtractor()
        self._window = window
        self._levels = levels
        self._rule: PairRule = rule
        self._repetition_guard = repetition_guard
        self._cap = None if exact_counts else levels.cap

    def score(self, text: str, *, question: str | None = None) -> ScoredText:
        """Score one text. question: what the text answers, for extractors that make use of it."""
        return self.score_texts([text], questions=[question])[0]

    def score_texts(self, texts: Sequence[str], *, questions: Sequence[str | None] | None = None) -> list[ScoredText]:
        """Score many plain texts at once, one result a text, in order."""
        if questions is None:
            questions = [None] * len(texts)
        if len(questions) != len(texts):
            raise UsageError(f"{len(questions)} questions for {len(texts)} texts: give one a text, or none at all")
        scores = self._score_spans(texts, [split_sentences(text) for text in texts], questions)
        return [ScoredText(text, tuple(row)) for text, row in zip(texts, scores, strict=True)]

    def score_rollouts(self, rollouts: Sequence[Rollout]) -> list[list[SentenceScore]]:
        """Score completions: one list a rollout, one verdict a sentence, in the order of its sentences.

        Sentences that the rollout brings along are taken as they are; else the completion is split between its tags.
        """
        spans = [
            rollout_sentences(rollout.completion) if rollout.sentences is None else list(rollout.sentences)
            for rollout in rollouts
        ]
        texts = [rollout.completion for rollout in rollouts]
        return self._score_spans(texts, spans, [rollout.question for rollout in rollouts])

    def fingerprint(self) -> str:
        """16 hex digits over all that the scores depend on: index, extractor and settings."""
        parts = {
            "version": _SCORER_VERSION,
            "index": self._index.fingerprint(),
            "extractor": self._extractor.fingerprint(),
            "window": self._window,
            "thresholds": self._levels.thresholds,
            "rewards": self._levels.rewards,
            "no_claim": self._levels.no_claim,
            "rule": self._rule,
            "repetition_guard": self._repetition_guard,
        }
        canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def _score_spans(
        self, texts: Sequence[str], spans: Sequence[Sequence[Span]], questions: Sequence[str | None]
    ) -> list[list[SentenceScore]]:
        passages = [
            Passage(tuple(span.of(text) for span in row), question)
            for text, row, question in zip(texts, spans, questions, strict=True)
        ]
        extractions = self._extract(passages)
        claims = [[claims_of(extraction.pairs, self._rule) for extraction in row] for row in extractions]
        counts = self._count([query for row in claims for some in row for claim in some for query in claim.queries])
        scores = [
            [
                self._verdict(span, sentence, extraction, some, counts)
                for span, sentence, extraction, some in zip(row, passage.sentences, found, rows, strict=True)
            ]
            for row, passage, found, rows in zip(spans, passages, extractions, claims, strict=True)
        ]
        return [guard_repetition(row) for row in scores] if self._repetition_guard else scores

    def _extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """All extractions in one call; when that fails as a whole, a passage at a time."""
        try:
            return self._extractor.extract(passages)
        except ExtractionError as error:
            if len(passages) == 1:
                return [[Extraction(failure=str(error))] * len(passages[0].sentences)]
            return [row for passage in passages for row in self._extract([passage])]

    def _count(self, queries: Sequence[tuple[str, ...]]) -> _Counts:
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
            return SentenceScore(span, sentence, Status.NO_CLAIM, self._levels.no_claim)
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
            reason=APPROXIMATE if count.approx else None,
        )


def _failed(span: Span, sentence: str, claim: Claim, reason: str) -> SentenceScore:
    return SentenceScore(span, sentence, Status.FAILED, math.nan, claim.pair, claim.words, reason=reason)


@dataclass(frozen=True, slots=True)
class CooccurrenceReward:
    """A `Scorer` as a `SentenceReward`."""

    scorer: Scorer

    def score(self, rollouts: Sequence[Rollout]) -> list[list[SentenceScore]]:
        """One list of verdicts a rollout, in the order of its sentences."""
        return self.scorer.score_rollouts(rollouts)

    def fingerprint(self) -> str:
        """A hash of what the scores depend on."""
        return self.scorer.fingerprint()
