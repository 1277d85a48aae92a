"""Bins of a score, and how often a sentence in each is true.

In: columns of labelled sentences. Out: bins with P(true) and Wilson intervals. Weighted rates take the effective sample
size for the number of trials. Every score falls into exactly one bin: lower ends belong to it, upper ends to the next,
and the last bin has no end. This module knows no map from score to probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corver.calibrate.columns import Columns, Floats, Integers, Score, effective_size
from corver.calibrate.sample import COUNT_EDGES
from corver.errors import UsageError
from corver.evaluate.stats import Estimate, wilson

__all__ = ["Bin", "bins_of", "edges_of", "membership", "rate", "rates", "tally_json"]

_MOST_VALUES = 12
"""A score with so few distinct values gets a bin for each."""

_QUANTILES = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Scores from `low` (−∞: all below `high`) up to but without `high` (∞: no end).

    size, true: labelled sentences. share: of all sentences that the sample stands for. probability: P(true).
    """

    name: str
    low: float
    high: float
    size: int
    true: int
    share: float
    probability: Estimate

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            **tally_json(self.size, self.true, self.share, self.probability),
        }


def tally_json(size: int, true: int, share: float, probability: Estimate) -> dict[str, Any]:
    """Labelled sentences that belong together, in files: how many, how many true, their share, P(true)."""
    return {"sentences": size, "true": true, "share": share, "probability": probability.to_json()}


def edges_of(columns: Columns, score: Score, *, edges: Sequence[float] | None = None) -> list[float]:
    """Where bins begin, lowest first and rising.

    Counts: 0 and the published bins (arXiv 2605.29648). Scores with up to 12 values: each value. Others: ten bins of
    equal weight, fewer where values are tied. edges: the lower ends of all bins but the first. Raises UsageError when
    they do not rise.
    """
    first = 0.0 if score == "count" else -math.inf
    if edges is not None:
        if list(edges) != sorted(set(edges)) or not all(map(math.isfinite, edges)) or (edges and edges[0] <= first):
            above = " and lie above 0" if score == "count" else ""
            raise UsageError(f"bin edges must rise{above}, not {', '.join(f'{edge:g}' for edge in edges)}")
        return [first, *edges]
    if score == "count":
        return [first, *COUNT_EDGES]
    values = np.unique(columns.score_N)
    if values.size <= _MOST_VALUES:
        return [first, *values[1:].tolist()]
    return [first, *values[1:][np.diff(equal_mass(columns.score_N, columns.weight_N, _QUANTILES)[1]) > 0].tolist()]


def equal_mass(value_N: Floats, weight_N: Floats, bins: int) -> tuple[Integers, Integers]:
    """The bin of each of N values, and of each distinct value in rising order, so that bins weigh about the same.

    Equal values share a bin, whatever their order; some bins may stay empty.
    """
    _, inverse = np.unique(value_N, return_inverse=True)
    weight = np.bincount(inverse, weights=weight_N)
    middle = (np.cumsum(weight) - weight / 2) / weight.sum()
    place = np.minimum((middle * bins).astype(np.int64), bins - 1)
    return place[inverse], place


def membership(score_N: Floats, edges: Sequence[float]) -> Integers:
    """The number of the bin of each score."""
    return np.asarray(np.searchsorted(np.asarray(edges[1:]), score_N, side="right"), dtype=np.int64)


def bins_of(columns: Columns, score: Score, edges: Sequence[float], *, total: float | None = None) -> list[Bin]:
    """One bin for every edge, empty ones too. total: what shares are of; else all these columns."""
    place_N = membership(columns.score_N, edges)
    ends = [*edges[1:], math.inf]
    total = float(columns.weight_N.sum()) if total is None else total
    bins = []
    for number, (low, high) in enumerate(zip(edges, ends, strict=True)):
        inside = place_N == number
        truth, weight = columns.truth_N[inside], columns.weight_N[inside]
        bins.append(
            Bin(
                name=_name(score, low, high, columns.score_N[inside]),
                low=low,
                high=high,
                size=int(inside.sum()),
                true=int(truth.sum()),
                share=float(weight.sum() / total),
                probability=rate(truth, weight),
            )
        )
    return bins


def rate(truth_N: Floats, weight_N: Floats) -> Estimate:
    """The weighted share of true sentences with its Wilson interval; NaN without sentences."""
    total = float(weight_N.sum())
    if not total:
        return wilson(0, 0)
    trials = effective_size(weight_N)
    return wilson(min(max(float(truth_N @ weight_N) / total, 0.0), 1.0) * trials, trials)


def rates(columns: Columns, place_N: Integers, bins: int, weight_DN: Floats) -> Floats:
    """P(true) in each bin for each of D weightings, [D, bins]; NaN where a bin has no weight."""
    inside = np.eye(bins)[place_N]
    total = weight_DN @ inside
    true = (weight_DN * columns.truth_N) @ inside
    return np.asarray(np.divide(true, total, out=np.full(total.shape, math.nan), where=total > 0), dtype=np.float64)


def _name(score: Score, low: float, high: float, inside: Floats) -> str:
    if score == "count":
        start = max(0, math.ceil(low))
        if math.isinf(high):
            return f"{start}+"
        end = math.ceil(high) - 1
        return f"{start}" if start == end else f"{start}–{end}"
    if inside.size and inside.min() == inside.max():
        return f"{inside[0]:.3g}"
    if math.isinf(low):
        return f"below {high:.3g}" if math.isfinite(high) else "all"
    return f"{low:.3g} and more" if math.isinf(high) else f"{low:.3g} to {high:.3g}"
