"""Sentence verdicts to shaping: how much of the return each token gets for its own sentence.

In: σ(t) and the verdicts of a completion's sentences, one group's silence value. Out: shaping of shape (T,), to be
added to R_resp. Formula: arXiv 2605.29648, R_t = R_resp + 1[σ(t) is a sentence]·λ_c·r(σ(t)); the silence value is
corver's own. This module knows neither tokenizer nor index.

Why a silence value: the published levels are negative on average while a sentence without a claim scores 0, so the
best policy under them says nothing. With the value v, a claim is worth r − v and silence 0, and v is what makes the
sentences of a group add nothing to its mean return: tokens outside claims keep the advantage that the response alone
gives them, and neither more claims nor fewer pay on average. A policy that learns to drop its worse claims still ends
with fewer of them; `claim_bonus` pays against that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corver.types import SentenceScore, Status

__all__ = ["ClaimTotals", "Silence", "claim_bonus", "claim_totals", "shaping", "silence_values"]

Floats = NDArray[np.float64]
Silence: TypeAlias = Literal["neutral", "first_policy", "paper"]


@dataclass(frozen=True, slots=True)
class ClaimTotals:
    """What the claims bring to each completion's mean return: Σ r, Σ r² and number of its claims' tokens, each over
    the number of its tokens that count, and how many claims it made. share_B lies in 0…1."""

    reward_B: Floats
    square_B: Floats
    share_B: Floats
    count_B: Floats

    def each(self, change: Callable[[Floats], Floats]) -> ClaimTotals:
        """The same change made to every column."""
        return ClaimTotals(*map(change, (self.reward_B, self.square_B, self.share_B, self.count_B)))


def claim_totals(
    sentence_B: Sequence[ArrayLike],
    scores_B: Sequence[Sequence[SentenceScore]],
    mask_BT: ArrayLike | None = None,
) -> ClaimTotals:
    """Total up the tokens of sentences that made a new claim; silent, evidence-less and repeated ones bring nothing.

    sentence_B: σ(t) of each completion, −1 outside sentences. mask_BT: 1 on the tokens that are trained on; all of them
    unless given. Tokens of a failed sentence count nowhere, as in `completion_means`.
    """
    masks = [None] * len(scores_B) if mask_BT is None else np.asarray(mask_BT)
    rows = [_claims(*row) for row in zip(sentence_B, scores_B, masks, strict=True)]
    found = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return ClaimTotals(*found.T)


def _claims(
    sentence_T: ArrayLike, scores: Sequence[SentenceScore], mask_T: NDArray[Any] | None
) -> tuple[float, float, float, float]:
    sentence = np.asarray(sentence_T, dtype=np.int64)
    counted = np.ones(sentence.size, dtype=bool) if mask_T is None else mask_T[: sentence.size].astype(bool)
    failed = np.array([score.status is Status.FAILED for score in scores] + [False])
    claims = np.array([score.has_claim and not score.repeated for score in scores] + [False])
    reward = np.array([score.reward if claim else 0.0 for score, claim in zip(scores, claims, strict=False)] + [0.0])
    counted &= ~failed[sentence]
    tokens = max(1, int(counted.sum()))
    said = sentence[counted & claims[sentence]]
    rewards = reward[said]
    return rewards.sum() / tokens, (rewards**2).sum() / tokens, said.size / tokens, np.unique(said).size


def silence_values(
    totals: ClaimTotals,
    group_B: ArrayLike,
    *,
    policy: Silence,
    reference: float | None = None,
    bonus: float = 0.0,
) -> Floats:
    """v_B, the reward that silence is worth in each completion's group.

    `paper`: 0. `neutral`: Σ reward / Σ share over the group, the mean reward of its claims' tokens; with it the claims
    add exactly 0 to the mean of the group's completion means. `first_policy`: `reference`, the same over the first
    policy's completions, 0 while there is none. A group without a claim, which no value changes, takes the reference.
    bonus: b of `claim_bonus`, by which silence is worth less; not with `paper`.
    """
    labels, group = np.unique(np.asarray(group_B), return_inverse=True)
    if policy == "paper":
        return np.zeros(group.shape)
    known = 0.0 if reference is None else reference
    if policy == "first_policy":
        return np.full(group.shape, known - bonus)
    rewards = np.bincount(group, weights=totals.reward_B, minlength=labels.size)
    shares = np.bincount(group, weights=totals.share_B, minlength=labels.size)
    means = np.divide(rewards, shares, out=np.full(labels.size, known), where=shares > 0)
    return np.asarray(means[group] - bonus, dtype=np.float64)


def claim_bonus(claims: float, first: float, spread: float, *, floor: float = 1.0, within: float = 0.2) -> float:
    """b, what a claim is worth beyond its reward, so that claims do not die out; 0 where there are enough.

    claims: made a completion of late. first: by the first policy. spread: standard deviation of the claims' rewards,
    b's unit. b is 0 from `floor` times `first` claims on, grows with what is missing, and is `spread` where a share of
    `within` is missing. In proportion to the shortfall and not to its sum over time, so that it does not swing.
    """
    if first <= 0:
        return 0.0
    missing = floor - claims / first
    return spread * min(1.0, max(0.0, missing) / within)


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
    if score.repeated:
        # No more than silence, and no less where nothing is wrong with it: an answer says again what was thought.
        return min(score.reward - min(silence, 0.0), 0.0)
    return score.reward - silence
