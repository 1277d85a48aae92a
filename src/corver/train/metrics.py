"""What happened in one generation batch, as (sum, weight) pairs that add up over processes.

In: rollouts, their verdicts, σ(t) and the advantage report. Out: metric name -> (sum, weight); the mean is sum/weight.
Names ending in `_max` are maxima. This module knows no trainer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corver.credit.advantage import AdvantageReport
from corver.text.rollout import parse_rollout
from corver.types import Rollout, SentenceScore, Status

__all__ = ["batch_metrics"]


def batch_metrics(
    rollouts: Sequence[Rollout],
    scores_B: Sequence[Sequence[SentenceScore]],
    sentence_B: Sequence[np.ndarray],
    report: AdvantageReport,
    *,
    seconds: float,
    scoring: float,
) -> dict[str, tuple[float, float]]:
    """claims and sentences a completion; shares of statuses; mean claim reward; guards; seconds.

    seconds: what the training thread gave to rewards and credit. scoring: what the verdicts took, in whatever thread.
    """
    flat = [score for scores in scores_B for score in scores]
    details = [unit for score in flat for unit in score.units]
    claims = [score for score in flat if score.has_claim and not score.repeated]
    counts = [score.count for score in claims if score.count is not None]
    size, sentences = float(len(rollouts)), float(len(flat))

    def share(status: Status) -> tuple[float, float]:
        return float(sum(score.status is status for score in flat)), sentences

    tokens = float(sum(sentence_T.size for sentence_T in sentence_B))
    return {
        "claims": (float(len(claims)), size),
        "sentences": (sentences, size),
        "supported_share": share(Status.SUPPORTED),
        "unsupported_share": share(Status.UNSUPPORTED),
        "no_claim_share": share(Status.NO_CLAIM),
        "no_evidence_share": share(Status.NO_EVIDENCE),
        "failed_share": share(Status.FAILED),
        "repeated_share": (float(sum(score.repeated for score in flat)), sentences),
        "repeated_detail_share": (float(sum(unit.repeated for unit in details)), float(len(details))),
        # `profile` counts no pair.
        "count_zero_share": (float(counts.count(0)), float(len(counts))),
        "sentence_reward": (sum(score.reward for score in claims), float(len(claims))),
        "aligned_share": (float(sum((sentence_T >= 0).sum() for sentence_T in sentence_B)), tokens),
        "format_rate": (float(sum(_well_formed(rollout) for rollout in rollouts)), size),
        "std_floored_share": (report.floored * size, size),
        "advantage_capped_share": (report.capped * size, size),
        "advantage_max": (report.largest, 1.0),
        "reward_seconds": (seconds, 1.0),
        "scoring_seconds": (scoring, 1.0),
    }


def _well_formed(rollout: Rollout) -> bool:
    opened = bool(rollout.meta.get("think_opened"))
    return parse_rollout(rollout.completion, think_opened=opened).well_formed
