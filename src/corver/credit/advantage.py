"""Token advantages: group statistics of completion means, then (return − mean) / scale for every token.

In: R_resp a completion, shaping a token, a mask and the group of each completion. Out: advantages of shape (B, T) in
float64 and how often the guards acted. Formula: arXiv 2605.29648, per-token return and advantage. This module does not
know where a reward comes from, nor what a trainer does with an advantage.

Axes: B completions, T tokens. NaN in `response_B` marks a completion that cannot be scored; NaN in `shaping_BT` marks
tokens whose sentence could not be looked up. Neither takes part in a mean or a std, and both get advantage 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["AdvantageReport", "AdvantageRule", "Baseline", "advantage", "completion_means", "group_baseline",
           "response_advantage", "token_advantages"]  # fmt: skip

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AdvantageRule:
    """Scale of an advantage and its guards.

    scale: `group` is the sample std (n − 1) over a group's completion means, `batch` over all of them, `none` is 1.
    epsilon: added to the std. std_floor: least std, in reward units. cap: greatest |A|. The published rule is
    `AdvantageRule(std_floor=None, cap=None)`.
    """

    scale: Literal["group", "batch", "none"] = "group"
    epsilon: float = 1e-4
    std_floor: float | None = 0.1
    cap: float | None = 10.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a completion is compared with: mean_B and scale_B of its group, and where the std floor acted."""

    mean_B: Floats
    scale_B: Floats
    floored_B: NDArray[np.bool_]

    def rows(self, where: slice) -> Baseline:
        """The baseline of some completions, such as those of one process."""
        return Baseline(self.mean_B[where], self.scale_B[where], self.floored_B[where])


@dataclass(frozen=True, slots=True)
class AdvantageReport:
    """Shares of completions under the std floor and of scored tokens at the cap; the largest |A| before it."""

    floored: float
    capped: float
    largest: float


def completion_means(response_B: ArrayLike, shaping_BT: ArrayLike, mask_BT: ArrayLike) -> Floats:
    """m_k, the masked mean of R_t over a completion's tokens.

    R_resp is constant over tokens, so m = R_resp + mean(shaping): without shaping it equals R_resp to the last bit.
    NaN for a completion whose response is NaN or that has no scored token.
    """
    response, shaping, counted = _checked(response_B, shaping_BT, mask_BT)
    lengths = counted.sum(axis=1)
    total = np.where(counted, shaping, 0.0).sum(axis=1)
    mean = total / np.maximum(lengths, 1)
    return np.where(lengths > 0, response + mean, np.nan)


def group_baseline(mean_B: ArrayLike, group_B: ArrayLike, *, rule: AdvantageRule) -> Baseline:
    """Mean and scale for each completion, from all completions of its group (gathered over processes beforehand)."""
    means = np.asarray(mean_B, dtype=np.float64)
    _, group = np.unique(np.asarray(group_B), return_inverse=True)
    if group.shape != means.shape:
        raise ValueError(f"group_B has shape {group.shape}, mean_B {means.shape}")
    count, centre, std = _group_moments(means, group)
    if rule.scale == "batch":
        _, _, whole = _group_moments(means, np.zeros_like(group))
        std = np.full_like(std, whole[0] if whole.size else 0.0)
    if rule.scale == "none":
        return Baseline(centre[group], np.ones_like(means), np.zeros(means.shape, dtype=bool))
    floor = rule.std_floor or 0.0
    floored = (std < floor) & (count > 0)
    scale = np.maximum(std, floor) + rule.epsilon
    return Baseline(centre[group], scale[group], floored[group])


def token_advantages(
    response_B: ArrayLike,
    shaping_BT: ArrayLike,
    mask_BT: ArrayLike,
    baseline: Baseline,
    *,
    rule: AdvantageRule,
) -> tuple[Floats, AdvantageReport]:
    """(B, T) advantages against a given baseline, and what the guards did. Masked and unscored tokens get 0."""
    response, shaping, counted = _checked(response_B, shaping_BT, mask_BT)
    scored = counted & np.isfinite(response + baseline.mean_B)[:, None]
    returns = response[:, None] + np.where(np.isnan(shaping), 0.0, shaping)
    raw = np.zeros(shaping.shape)
    np.divide(returns - baseline.mean_B[:, None], baseline.scale_B[:, None], out=raw, where=scored)
    size = np.abs(raw)
    over = size > rule.cap if rule.cap is not None else np.zeros(raw.shape, dtype=bool)
    values = np.clip(raw, -rule.cap, rule.cap) if rule.cap is not None else raw
    report = AdvantageReport(
        floored=float(baseline.floored_B.mean()) if baseline.floored_B.size else 0.0,
        capped=float(over.sum() / max(1, scored.sum())),
        largest=float(size.max(initial=0.0)),
    )
    return values, report


def advantage(
    response_B: ArrayLike,
    shaping_BT: ArrayLike,
    mask_BT: ArrayLike,
    group_B: ArrayLike,
    *,
    rule: AdvantageRule | None = None,
) -> Floats:
    """Per-token advantages A_{k,t} = (R_{k,t} − mean_g m) / (std_g m + ε), shape (B, T).

    response_B: R_resp, NaN where a completion cannot be scored. shaping_BT: λ_c times the sentence reward of each
    token, 0 outside sentences, NaN where the look-up failed. mask_BT: 1 on the completion's tokens, 0 on padding.
    group_B: any label a group. Raises ValueError on shapes that do not fit.
    """
    rule = rule or AdvantageRule()
    means = completion_means(response_B, shaping_BT, mask_BT)
    baseline = group_baseline(means, group_B, rule=rule)
    return token_advantages(response_B, shaping_BT, mask_BT, baseline, rule=rule)[0]


def response_advantage(response_B: ArrayLike, group_B: ArrayLike, *, rule: AdvantageRule | None = None) -> Floats:
    """The response-level baseline that λ_c = 0 must equal: one advantage a completion, shape (B,), NaN rows 0."""
    rule = rule or AdvantageRule()
    response = np.asarray(response_B, dtype=np.float64)
    baseline = group_baseline(response, group_B, rule=rule)
    values = (response - baseline.mean_B) / baseline.scale_B
    if rule.cap is not None:
        values = np.clip(values, -rule.cap, rule.cap)
    return np.nan_to_num(values, nan=0.0)


def _checked(
    response_B: ArrayLike, shaping_BT: ArrayLike, mask_BT: ArrayLike
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    response = np.asarray(response_B, dtype=np.float64)
    shaping = np.asarray(shaping_BT, dtype=np.float64)
    mask = np.asarray(mask_BT).astype(bool)
    if shaping.ndim != 2 or shaping.shape != mask.shape or response.shape != shaping.shape[:1]:
        raise ValueError(
            f"response_B {response.shape}, shaping_BT {shaping.shape} and mask_BT {mask.shape} do not fit together"
        )
    if np.isinf(response).any() or np.isinf(shaping[mask]).any():
        raise ValueError("a reward is infinite")
    return response, shaping, mask & ~np.isnan(shaping)


def _group_moments(mean_B: Floats, group_B: NDArray[np.intp]) -> tuple[Floats, Floats, Floats]:
    """Number of scored completions, their mean (NaN without any) and sample std (0 below two), a group each."""
    scored = ~np.isnan(mean_B)
    size = int(group_B.max()) + 1 if group_B.size else 0
    count = np.zeros(size)
    centre = np.full(size, np.nan)
    std = np.zeros(size)
    for number in range(size):
        members = mean_B[scored & (group_B == number)]
        count[number] = members.size
        if members.size:
            centre[number] = members.mean()
        if members.size > 1:
            std[number] = members.std(ddof=1)
    return count, centre, std
