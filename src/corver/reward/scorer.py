"""The scorer: texts or rollouts in, a verdict a sentence out.

In: a counter (an index) and a support, which says what evidence is worth. Out: `SentenceScore`s with offsets into the
untouched text, a whole batch at a time. This module knows neither tokens nor advantages, and no file format.

A failure is never a number: a sentence whose extraction or look-up failed has the status `failed` and reward NaN.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from corver.errors import UsageError
from corver.extract.rules import RulesExtractor
from corver.reward.aliases import Aliases
from corver.reward.levels import PAPER_LEVELS, Levels
from corver.reward.paper import APPROXIMATE, PaperSupport
from corver.reward.profile import ProfileSettings, ProfileSupport
from corver.reward.select import PairRule
from corver.reward.support import SUPPORTS, Support, SupportName
from corver.text.rollout import rollout_sentences
from corver.text.sentences import split_sentences
from corver.types import Counter, Extractor, Passage, Rollout, ScoredText, SentenceScore, Span

__all__ = ["APPROXIMATE", "CooccurrenceReward", "Scorer"]

_SCORER_VERSION = 1


class Scorer:
    """Scores sentences by how often what they say stands together in a corpus.

    index: anything that counts; `profile` needs an index folder. support: `paper`, the levels of one pair's count, or
    `profile`, every detail around the subject; or a support of your own. repetition_guard: nothing is rewarded twice a
    text.

    Of `paper`: extractor, `RulesExtractor()` unless given; window in words; levels, counts to rewards; rule, which
    pairs of a sentence speak for it; aliases, other names that count as well; exact_counts, count to the end instead of
    stopping at the top level's threshold (rewards do not depend on it). Of `profile`: its settings.
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
        support: SupportName | Support = "paper",
        profile: ProfileSettings | None = None,
        aliases: Aliases | None = None,
    ) -> None:
        self._index = index
        self._repetition_guard = repetition_guard
        if support == "paper":
            self._support: Support = PaperSupport(
                index=index,
                extractor=extractor if extractor is not None else RulesExtractor(),
                window=window,
                levels=levels,
                rule=rule,
                aliases=aliases,
                exact_counts=exact_counts,
            )
        elif support == "profile":
            self._support = ProfileSupport(index=index, settings=profile)
        elif isinstance(support, str):
            raise UsageError(f"unknown support {support!r}: choose one of {', '.join(SUPPORTS)}")
        else:
            self._support = support

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
            **self._support.settings(),
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
        scores = self._support.verdicts(passages, spans)
        return [self._support.guard(row) for row in scores] if self._repetition_guard else scores


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
