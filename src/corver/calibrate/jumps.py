"""Where P(true) jumps: proposed thresholds between levels, and how far they can be relied on.

In: columns of labelled sentences and the edges of bins. Out: the edges with the largest rises from the bin below, each
with an interval and the share of bootstrap resamples that propose it as well. This module sets no threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corver.calibrate.bins import membership, rates
from corver.calibrate.columns import Columns, Floats, percentile, resamples
from corver.evaluate.stats import Estimate

__all__ = ["Jump", "Jumps", "largest_jumps"]


@dataclass(frozen=True, slots=True)
class Jump:
    """A proposed threshold. rise: P(true) in its bin minus that in the bin below. stability: share of resamples."""

    threshold: float
    rise: Estimate
    stability: float

    def to_json(self) -> dict[str, Any]:
        return {"threshold": self.threshold, "rise": self.rise.to_json(), "stability": self.stability}


@dataclass(frozen=True, slots=True)
class Jumps:
    """Proposed thresholds in rising order. together: share of resamples that propose exactly these."""

    proposed: tuple[Jump, ...]
    together: float

    def to_json(self) -> dict[str, Any]:
        together = None if math.isnan(self.together) else self.together
        return {"thresholds": [jump.to_json() for jump in self.proposed], "together": together}


def largest_jumps(columns: Columns, edges: Sequence[float], *, most: int, draws: int, seed: int) -> Jumps:
    """Up to `most` thresholds: the edges with the largest rises. Falls are never proposed; empty bins are passed over.

    Of equal rises the one at the lower score is taken.
    """
    place_N = membership(columns.score_N, edges)
    filled = np.flatnonzero(np.bincount(place_N, minlength=len(edges)) > 0)
    if filled.size < 2:
        return Jumps((), math.nan)
    here = np.diff(rates(columns, place_N, len(edges), columns.weight_N[None, :])[0, filled])
    chosen = _largest(here[None, :], most)[0]
    parts = [
        np.diff(rates(columns, place_N, len(edges), weights)[:, filled], axis=1)
        for weights in resamples(columns, draws=draws, seed=seed)
    ]
    rises = np.concatenate(parts)
    again = _largest(rises, most)
    proposed = tuple(
        Jump(edges[filled[at + 1]], percentile(float(here[at]), rises[:, at]), float(again[:, at].mean()))
        for at in np.flatnonzero(chosen)
    )
    return Jumps(proposed, float((again == chosen).all(axis=1).mean()) if proposed else math.nan)


def _largest(rise_DJ: Floats, most: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which of J rises are among the largest `most` positive ones, in each of D rows."""
    usable = np.where(np.isfinite(rise_DJ) & (rise_DJ > 0), rise_DJ, -math.inf)
    order = np.argsort(-usable, axis=1, kind="stable")[:, :most]
    chosen = np.zeros(rise_DJ.shape, dtype=np.bool_)
    np.put_along_axis(chosen, order, True, axis=1)
    return chosen & np.isfinite(usable)
