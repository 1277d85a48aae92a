"""A level as a noisy verdict on a sentence: rewards of levels that are right in the mean.

In: the share of each level among sentences with a verdict and P(true) there, as `corver calibrate` measures them. Out:
a reward a level whose mean over true sentences is `true` and over false ones `false`. For two levels this is the
backward correction of arXiv 2510.00915; for more, the one of least variance. This module knows no sentence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corver.errors import NoiseRatesError

__all__ = ["level_means", "unbiased_levels"]

Floats = NDArray[np.float64]


def unbiased_levels(share_L: ArrayLike, true_L: ArrayLike, *, true: float = 0.1, false: float = -0.3) -> Floats:
    """f with E[f | true] = `true` and E[f | false] = `false`, of least variance; shape (L,).

    share_L: π, the levels' shares, up to a factor. true_L: η, P(true | level). Two constraints on L rewards leave L − 2
    free; least variance makes f an affine function of η: f = false + (true − false)·(η − E[η | false]) /
    (E[η | true] − E[η | false]). Raises NoiseRatesError when the levels tell nothing apart.
    """
    share, eta = _checked(share_L, true_L)
    given_true, given_false = level_means(share, eta, eta)
    if not given_true - given_false > 1e-9:
        raise NoiseRatesError("P(true) is the same at every level: no reward of levels tells true sentences from false")
    return np.asarray(false + (true - false) * (eta - given_false) / (given_true - given_false), dtype=np.float64)


def level_means(share_L: ArrayLike, true_L: ArrayLike, reward_L: ArrayLike) -> tuple[float, float]:
    """E[reward | true], E[reward | false] of rewards a level: what they pay in the mean."""
    share, eta = _checked(share_L, true_L)
    reward = np.asarray(reward_L, dtype=np.float64)
    return (
        float((share * eta * reward).sum() / (share * eta).sum()),
        float((share * (1 - eta) * reward).sum() / (share * (1 - eta)).sum()),
    )


def _checked(share_L: ArrayLike, true_L: ArrayLike) -> tuple[Floats, Floats]:
    share, eta = np.asarray(share_L, dtype=np.float64), np.asarray(true_L, dtype=np.float64)
    if share.shape != eta.shape or share.ndim != 1 or not np.all(share >= 0) or not np.all((eta >= 0) & (eta <= 1)):
        raise ValueError("shares are not negative, P(true) lies in [0, 1], and there is one of each a level")
    if not (share * eta).sum() > 0 or not (share * (1 - eta)).sum() > 0:
        raise NoiseRatesError("the labelled sentences are all true or all false: rates need both")
    return share, eta
