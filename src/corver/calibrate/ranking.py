"""How well a score ranks true sentences above false ones: the area under the ROC curve.

In: columns of labelled sentences. Out: the area with its bootstrap interval. This module knows no bins.
"""

from __future__ import annotations

import math

import numpy as np

from corver.calibrate.columns import Columns, Floats, percentile, resamples
from corver.evaluate.stats import Estimate

__all__ = ["auroc", "auroc_of"]


def auroc(score_N: Floats, truth_N: Floats, weight_DN: Floats) -> Floats:
    """The area under the ROC curve for each of D weightings of N sentences; NaN where one class has no weight.

    The probability that a true sentence scores above a false one, a tie counting one half (Mann and Whitney 1947).
    """
    order = np.argsort(score_N, kind="stable")
    ranked = score_N[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    positive = np.add.reduceat((weight_DN * truth_N)[:, order], starts, axis=1)
    negative = np.add.reduceat((weight_DN * (1 - truth_N))[:, order], starts, axis=1)
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    wins = (positive * below).sum(axis=1)
    return np.asarray(np.divide(wins, pairs, out=np.full(pairs.shape, math.nan), where=pairs > 0), dtype=np.float64)


def auroc_of(columns: Columns, *, draws: int, seed: int) -> Estimate:
    """The weighted area and its 95 % interval; NaN when all labels are the same."""
    value = float(auroc(columns.score_N, columns.truth_N, columns.weight_N[None, :])[0])
    if math.isnan(value):
        return Estimate(math.nan, math.nan, math.nan)
    parts = [auroc(columns.score_N, columns.truth_N, weights) for weights in resamples(columns, draws=draws, seed=seed)]
    return percentile(value, np.concatenate(parts))
