"""Are probabilities right? Reliability bins, expected calibration error, and the Brier score.

In: probabilities, labels and weights of N sentences. Out: bins of predicted against observed, and errors. Expected
calibration error is Σ_b share_b · |observed_b − predicted_b| (Guo et al. 2017, arXiv 1706.04599); bins of equal width
are ((i − 1)/B, i/B] with 0 in the first, bins of equal mass keep equal probabilities together. Empty bins count
nothing. This module knows no scores.

The error of a finite sample is never 0, even where every probability is right; so what it would then be is estimated
beside it, by drawing labels from the probabilities (consistency resampling; Bröcker and Smith 2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from corver.calibrate.bins import equal_mass, rate
from corver.calibrate.columns import Floats, Integers, percentile
from corver.errors import UsageError
from corver.evaluate.stats import Estimate

__all__ = ["Binning", "Reliability", "ReliabilityBin", "brier", "reliability"]

Binning: TypeAlias = Literal["equal_width", "equal_mass"]

_CONSISTENCY_DRAWS = 500

_CHUNK = 2_000_000
"""Labels held at a time."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Sentences whose probabilities are alike. low, high: the least and the greatest of them. predicted: their mean."""

    low: float
    high: float
    size: int
    share: float
    predicted: float
    observed: Estimate

    def to_json(self) -> dict[str, Any]:
        return {
            "low": self.low,
            "high": self.high,
            "sentences": self.size,
            "share": self.share,
            "predicted": self.predicted,
            "observed": self.observed.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Reliability:
    """The bins that hold sentences, the expected calibration error, and what it would be if all were right."""

    binning: Binning
    bins: tuple[ReliabilityBin, ...]
    ece: float
    ece_if_right: Estimate

    def to_json(self) -> dict[str, Any]:
        return {
            "ece": self.ece,
            "ece_if_right": self.ece_if_right.to_json(),
            "bins": [one.to_json() for one in self.bins],
        }


def reliability(
    probability_N: Floats,
    truth_N: Floats,
    weight_N: Floats | None = None,
    *,
    bins: int = 10,
    binning: Binning = "equal_width",
    seed: int = 0,
) -> Reliability:
    """Reliability of N probabilities. Raises UsageError for none at all, for values outside [0, 1], and for no bins."""
    if bins < 1:
        raise UsageError(f"reliability needs at least 1 bin, not {bins}")
    if not probability_N.size:
        raise UsageError("reliability needs at least one probability")
    if not bool(((probability_N >= 0) & (probability_N <= 1)).all()):
        raise UsageError("probabilities must lie between 0 and 1")
    weight_N = np.ones(probability_N.size) if weight_N is None else weight_N
    place_N = _places(probability_N, weight_N, bins, binning)
    found, place_N = np.unique(place_N, return_inverse=True)
    inside_NB = np.eye(found.size)[place_N]
    table = []
    for number in range(found.size):
        here = place_N == number
        probability, weight = probability_N[here], weight_N[here]
        table.append(
            ReliabilityBin(
                low=float(probability.min()),
                high=float(probability.max()),
                size=int(here.sum()),
                share=float(weight.sum() / weight_N.sum()),
                predicted=float(probability @ weight / weight.sum()),
                observed=rate(truth_N[here], weight),
            )
        )
    right = _if_right(probability_N, weight_N, inside_NB, seed)
    ece = float(_ece(truth_N[None, :], probability_N, weight_N, inside_NB)[0])
    return Reliability(binning, tuple(table), ece, percentile(float(right.mean()), right))


def brier(probability_N: Floats, truth_N: Floats, weight_N: Floats) -> float:
    """The weighted mean of (probability − truth)² (Brier 1950)."""
    return float(weight_N @ (probability_N - truth_N) ** 2 / weight_N.sum())


def _places(probability_N: Floats, weight_N: Floats, bins: int, binning: Binning) -> Integers:
    if binning == "equal_mass":
        return equal_mass(probability_N, weight_N, bins)[0]
    # i / B is the float nearest to the edge, as is a probability written in decimals: 0.3 is 3/10 exactly.
    return np.asarray(np.searchsorted(np.arange(1, bins) / bins, probability_N, side="left"), dtype=np.int64)


def _if_right(probability_N: Floats, weight_N: Floats, inside_NB: Floats, seed: int) -> Floats:
    """The error for labels drawn from the probabilities, once a draw."""
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK // probability_N.size)
    parts = []
    for start in range(0, _CONSISTENCY_DRAWS, step):
        size = min(step, _CONSISTENCY_DRAWS - start)
        drawn = (rng.random((size, probability_N.size)) < probability_N).astype(np.float64)
        parts.append(_ece(drawn, probability_N, weight_N, inside_NB))
    return np.concatenate(parts)


def _ece(truth_DN: Floats, probability_N: Floats, weight_N: Floats, inside_NB: Floats) -> Floats:
    """Σ_b |Σ_{i in b} w_i (truth_i − probability_i)| / Σ w, for each of D labellings."""
    gaps = (weight_N * (truth_DN - probability_N)) @ inside_NB
    return np.asarray(np.minimum(np.abs(gaps).sum(axis=1) / weight_N.sum(), 1.0), dtype=np.float64)
