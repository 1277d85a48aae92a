"""Sentence verdicts to shaping: how much of the return each token gets for its own sentence.

In: σ(t) and the verdicts of a completion's sentences, one group's silence value. Out: shaping of shape (T,), to be
added to R_resp. Formula: arXiv 2605.29648, R_t = R_resp + 1[σ(t) is a sentence]·λ_c·r(σ(t)); the silence value is
corver's own. This module knows neither tokenizer nor index.

Why a silence value: the published levels are negative on average while a sentence without a claim scores 0, so the
best policy under them says nothing. With the value v, a claim is worth r − v and silence 0: exactly what an average
claim of the group is worth, and never more than what an average claim of the first policy was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corver.types import SentenceScore, Status

__all__ = ["ClaimTotals", "claim_totals", "shaping", "silence_values"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClaimTotals:
    """Sum and number of the claims' rewards of each completion: sum_B, count_B. What the silence value needs."""

    sum_B: Floats
    count_B: Floats


def claim_totals(scores_B: Sequence[Sequence[SentenceScore]]) -> ClaimTotals:
    """Total up the sentences that made a new claim; failed, silent, evidence-less and repeated ones are left out."""
    claims_B = [[score.reward for score in scores if score.has_claim and not score.repeated] for scores in scores_B]
    sums = [sum(claims) for claims in claims_B]
    counts = [len(claims) for claims in claims_B]
    return ClaimTotals(np.array(sums, dtype=np.float64), np.array(counts, dtype=np.float64))


def silence_values(
    totals: ClaimTotals,
    group_B: ArrayLike,
    *,
    policy: Literal["neutral", "paper"],
    reference: float | None = None,
) -> Floats:
    """v_B, the reward that silence is worth in each completion's group.

    `paper`: 0. `neutral`: the mean claim reward of the group, or `reference` (that of the first policy) where it is
    lower or where the group made no claim at all.
    """
    labels, group = np.unique(np.asarray(group_B), return_inverse=True)
    if policy == "paper":
        return np.zeros(group.shape)
    sums = np.bincount(group, weights=totals.sum_B, minlength=labels.size)
    counts = np.bincount(group, weights=totals.count_B, minlength=labels.size)
    fallback = 0.0 if reference is None else reference
    means = np.divide(sums, counts, out=np.full(labels.size, fallback), where=counts > 0)
    if reference is not None:
        means = np.minimum(means, reference)
    return np.asarray(means[group], dtype=np.float64)


def shaping(
    sentence_T: ArrayLike,
    scores: Sequence[SentenceScore],
    *,
    weight: float = 1.0,
    silence: float = 0.0,
    alignment: Literal["token", "response"] = "token",
) -> Floats:
    """λ_c times the sentence reward above silence, laid on the sentence's own tokens; shape (T,).

    sentence_T: σ(t), −1 outside sentences. weight: λ_c. `response` spreads the same total evenly over all T tokens
    (ablation A3). Tokens of a failed sentence are NaN: they carry no reward at all. With weight 0 every token gets
    exactly 0, failed ones too, since then nothing was asked of the corpus.
    """
    sentence = np.asarray(sentence_T, dtype=np.int64)
    if weight == 0:
        return np.zeros(sentence.shape)
    if sentence.size and sentence.max() >= len(scores):
        raise ValueError(f"σ names sentence {sentence.max()} of {len(scores)}")
    reward_S = np.array([_above_silence(score, silence) for score in scores] + [0.0], dtype=np.float64)
    values = weight * reward_S[sentence]
    if alignment == "token" or not values.size:
        return values
    known = ~np.isnan(values)
    if known.any():
        values[known] = values[known].sum() / known.sum()
    return values


def _above_silence(score: SentenceScore, silence: float) -> float:
    if score.status is Status.FAILED:
        return float("nan")
    if not score.has_claim:
        # With the published rule (silence 0) a support model may still give a neutral status a reward of its own.
        return score.reward if silence == 0 else 0.0
    above = score.reward - silence
    return min(above, 0.0) if score.repeated else above
