"""Learning curves: which ones there are, their values over steps, and light smoothing.

In: rows of metrics.jsonl. Out: arrays of steps and values, thinned to what a small plot can show. This module draws
nothing; `svg` and `plots` do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from corver.report.values import Kind, integer, number

__all__ = ["CURVES", "Curve", "Series", "read_series", "smooth"]

POINTS = 200
BANDWIDTH = 0.05
"""Standard deviation of the smoothing kernel as a share of the steps seen."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One metric. key: in metrics.jsonl. group: what question of the reader it answers."""

    key: str
    title: str
    note: str
    kind: Kind
    group: Literal["learning", "honesty", "health"]


CURVES = (
    Curve("corver/sentence_reward", "Sentence reward", "mean of a claim", "reward", "learning"),
    Curve("reward", "Response reward", "judge and format, weighted", "reward", "learning"),
    Curve("rewards/judge/mean", "Judge", "right answers raise it", "reward", "learning"),
    Curve("corver/format_rate", "Format", "share well formed", "share", "learning"),
    Curve("corver/claims", "Claims a completion", "a fall means silence", "amount", "honesty"),
    Curve("corver/claim_bonus", "Bonus on claims", "0 while claims hold", "reward", "honesty"),
    Curve("completions/mean_length", "Length", "tokens a completion", "amount", "honesty"),
    Curve("corver/count_zero_share", "Claims at count 0", "share of claims", "share", "honesty"),
    Curve("corver/no_claim_share", "Without a claim", "share of sentences", "share", "honesty"),
    Curve("kl", "KL", "distance from the raw model", "small", "health"),
    Curve("grad_norm", "Gradient norm", "before clipping", "small", "health"),
    Curve("corver/advantage_max", "Largest advantage", "|A| before the cap", "small", "health"),
    Curve("completions/clipped_ratio", "Cut off", "completions at the length limit", "share", "health"),
    Curve("corver/failed_share", "Failed look-ups", "share of sentences", "share", "health"),
    Curve("corver/reward_seconds", "Reward time", "seconds a step", "small", "health"),
)


@dataclass(frozen=True, slots=True)
class Series:
    """One curve's values. steps_T, raw_T, smooth_T: float64 of equal length T >= 1, finite, steps increasing."""

    curve: Curve
    steps_T: NDArray[np.float64]
    raw_T: NDArray[np.float64]
    smooth_T: NDArray[np.float64]


def read_series(metrics: Sequence[Mapping[str, Any]], curves: Sequence[Curve] = CURVES) -> list[Series]:
    """The curves that have at least one value; values beyond 1e30 are taken as missing.

    metrics: rows in order of steps. Of more than 200 values, neighbours are averaged, so that none is hidden.
    """
    found = []
    for curve in curves:
        points = [
            (float(step), value)
            for row in metrics
            if (value := _drawable(row.get(curve.key))) is not None
            and (step := integer(row.get("step"))) is not None
            and abs(step) < 10**15
        ]
        if points:
            steps_T, raw_T = _thin(np.array([step for step, _ in points]), np.array([value for _, value in points]))
            found.append(Series(curve, steps_T, raw_T, smooth(steps_T, raw_T)))
    return found


def smooth(
    steps_T: NDArray[np.float64], values_T: NDArray[np.float64], *, bandwidth: float = BANDWIDTH
) -> NDArray[np.float64]:
    """Gaussian kernel mean over steps: centred, so that it does not lag behind as a running average does.

    bandwidth: the kernel's standard deviation as a share of the range of steps.
    """
    width = max(bandwidth * float(steps_T[-1] - steps_T[0]), 1e-9)
    kernel_TT = np.exp(-0.5 * ((steps_T[:, None] - steps_T[None, :]) / width) ** 2)
    mean_T: NDArray[np.float64] = (kernel_TT @ values_T) / kernel_TT.sum(axis=1)
    return mean_T


def _drawable(raw: Any) -> float | None:
    # Beyond these sizes a diverged run would overflow the arithmetic of scales; there is nothing to see there.
    value = number(raw)
    if value is None or abs(value) > 1e30:
        return None
    return value if abs(value) >= 1e-30 else 0.0


def _thin(
    steps_T: NDArray[np.float64], values_T: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if steps_T.size <= POINTS:
        return steps_T, values_T
    parts = np.array_split(np.arange(steps_T.size), POINTS)
    return (
        np.array([steps_T[part].mean() for part in parts]),
        np.array([values_T[part].mean() for part in parts]),
    )
