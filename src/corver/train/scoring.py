"""Completions of one generation batch to verdicts: text from the sampled ids, sentences, scores, σ(t).

In: data set rows and the sampled ids of their completions. Out: a ScoredBatch. The whole batch is one call of the
sentence reward. This module knows no trainer and no advantage.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corver.credit.align import Detokenizer, sentence_of_tokens
from corver.errors import TrainingError
from corver.text.rollout import rollout_sentences
from corver.train.rewards import gold_answers
from corver.types import Rollout, SentenceReward, SentenceScore

__all__ = ["BatchScorer", "ScoredBatch"]


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """The local completions of one generation batch with their verdicts. ids: as sampled. sentence: σ(t) of each, of
    shape (T,). seconds: wall time that scoring took."""

    ids: list[list[int]]
    rollouts: list[Rollout]
    scores: list[list[SentenceScore]]
    sentence: list[np.ndarray]
    seconds: float


@dataclass(frozen=True, slots=True)
class BatchScorer:
    """Scores the sentences of completions.

    ends: ids that end a completion; one that does not end with any was cut off by the length limit, and its last
    sentence is not scored. asks: False asks nothing of the reward, for runs without sentence rewards.
    """

    reward: SentenceReward | None
    detokenize: Detokenizer
    ends: Collection[int]
    asks: bool = True

    def score(
        self, rows: Sequence[dict[str, Any]], completion_ids: Sequence[Sequence[int]], *, think_opened: bool = False
    ) -> ScoredBatch:
        """Verdicts on the completion of each row. think_opened: the prompt already ends in `<think>`.

        Raises TrainingError when the reward does not give one verdict a sentence.
        """
        started = time.perf_counter()
        ids_B = [list(ids) for ids in completion_ids]
        tokens_B = [self.detokenize(ids) for ids in ids_B]
        cut_B = [not ids or ids[-1] not in self.ends for ids in ids_B]
        spans_B = [
            tuple(rollout_sentences(tokens.text, drop_cut_off=cut)) for tokens, cut in zip(tokens_B, cut_B, strict=True)
        ]
        rollouts = [
            Rollout(
                tokens.text,
                question=row.get("question"),
                answers=gold_answers(row.get("answers")),
                sentences=spans,
                meta={"think_opened": True} if think_opened else {},
            )
            for row, tokens, spans in zip(rows, tokens_B, spans_B, strict=True)
        ]
        asked = self.reward.score(rollouts) if self.asks and self.reward is not None else [[] for _ in rollouts]
        scores_B = [list(scores) for scores in asked]
        if len(scores_B) != len(rollouts) or (
            self.asks and any(len(scores) != len(spans) for scores, spans in zip(scores_B, spans_B, strict=True))
        ):
            raise TrainingError("the sentence reward did not return one verdict a sentence and one list a completion")
        sentence_B = [
            sentence_of_tokens(tokens, spans if scores else ())
            for tokens, spans, scores in zip(tokens_B, spans_B, scores_B, strict=True)
        ]
        return ScoredBatch(ids_B, rollouts, scores_B, sentence_B, time.perf_counter() - started)
