"""What happened in one generation batch, as numbers that can be put together over processes.

In: rollouts, their verdicts, σ(t) and the advantage report. Out: a `Metric` by its name, which says itself how it is
put together and whether it is logged. This module knows no trainer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corver.credit.advantage import AdvantageReport
from corver.text.rollout import parse_rollout
from corver.types import Rollout, SentenceScore, Status

__all__ = ["Metric", "batch_metrics"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One process's part of a mean: a sum, and the weight to divide it by. largest: of a maximum, which has no weight.

    optional: what it is about may not exist in this set-up; it is left out then, and is no mean of nothing.
    """

    sum: float
    weight: float = 1.0
    largest: bool = False
    optional: bool = False

    def together(self, sums_P: np.ndarray[Any, Any], weights_P: np.ndarray[Any, Any]) -> float | None:
        """The value over all processes P; NaN for a mean of nothing, None where there is nothing to log."""
        if self.largest:
            return float(sums_P.max())
        weight = float(weights_P.sum())
        if weight:
            return float(sums_P.sum()) / weight
        return None if self.optional else math.nan


def batch_metrics(
    rollouts: Sequence[Rollout],
    scores_B: Sequence[Sequence[SentenceScore]],
    sentence_B: Sequence[np.ndarray],
    report: AdvantageReport,
    *,
    seconds: float,
    scoring: float,
) -> dict[str, Metric]:
    """claims and sentences a completion; shares of statuses; mean claim reward; guards; seconds.

    seconds: what the training thread gave to rewards and credit. scoring: what the verdicts took, in whatever thread.
    """
    flat = [score for scores in scores_B for score in scores]
    details = [unit for score in flat for unit in score.units]
    claims = [score for score in flat if score.has_claim and not score.repeated]
    counts = [score.count for score in claims if score.count is not None]
    size, sentences = float(len(rollouts)), float(len(flat))

    def share(status: Status) -> Metric:
        return Metric(float(sum(score.status is status for score in flat)), sentences)

    tokens = float(sum(sentence_T.size for sentence_T in sentence_B))
    repeated = float(sum(unit.repeated for unit in details))
    return {
        "claims": Metric(float(len(claims)), size),
        "sentences": Metric(sentences, size),
        "supported_share": share(Status.SUPPORTED),
        "unsupported_share": share(Status.UNSUPPORTED),
        "no_claim_share": share(Status.NO_CLAIM),
        "no_evidence_share": share(Status.NO_EVIDENCE),
        "failed_share": share(Status.FAILED),
        "repeated_share": Metric(float(sum(score.repeated for score in flat)), sentences),
        # Only `profile` reads details, and it counts no pair.
        "repeated_detail_share": Metric(repeated, float(len(details)), optional=True),
        "count_zero_share": Metric(float(counts.count(0)), float(len(counts))),
        "sentence_reward": Metric(sum(score.reward for score in claims), float(len(claims))),
        "aligned_share": Metric(float(sum((sentence_T >= 0).sum() for sentence_T in sentence_B)), tokens),
        "format_rate": Metric(float(sum(_well_formed(rollout) for rollout in rollouts)), size),
        "std_floored_share": Metric(report.floored * size, size),
        "advantage_capped_share": Metric(report.capped * size, size),
        "advantage_max": Metric(report.largest, largest=True),
        "reward_seconds": Metric(seconds),
        "scoring_seconds": Metric(scoring),
    }


def _well_formed(rollout: Rollout) -> bool:
    opened = bool(rollout.meta.get("think_opened"))
    return parse_rollout(rollout.completion, think_opened=opened).well_formed
