"""How strongly details stand near a subject, against what chance would give: the score of a unit.

In: kernel sums around n mentions, corpus frequencies, the size of the corpus. Out: one number a unit. This module knows
no text and no rewards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FLOOR", "PRIOR", "chance", "chance_scores", "unit_scores"]

Floats = NDArray[np.float64]

FLOOR = -10.0
"""The least log share: what many mentions without the unit can prove at most."""

PRIOR = 0.1
"""Of √p, the weight of what is expected before any mention is looked at."""


def chance(frequencies: ArrayLike, *, words: int, scale: float) -> Floats:
    """p_u: how likely a unit stands within about `scale` words of any position; shape (U,), in (0, 1].

    p = 1 − exp(−2·scale·max(f, ½)/N): a Poisson process of the unit's f occurrences among N words.
    """
    rate = 2.0 * scale * np.maximum(np.asarray(frequencies, dtype=np.float64), 0.5) / max(words, 1)
    return np.asarray(-np.expm1(-rate), dtype=np.float64)


def chance_scores(frequencies: ArrayLike, *, words: int, scale: float) -> Floats:
    """½ ln p: the score of a unit that stands near the mentions exactly as often as near any other position."""
    return np.asarray(0.5 * np.log(chance(frequencies, words=words, scale=scale)), dtype=np.float64)


def unit_scores(sums: ArrayLike, frequencies: ArrayLike, *, mentions: float, words: int, scale: float) -> Floats:
    """s_u = max(ln((K + 0.1·√p) / (n + ½)), FLOOR) − ½ ln p; shape (U,).

    sums: K, Σ over mentions of exp(−d / scale). mentions: n, their number or weight. frequencies: f, occurrences in the
    corpus of `words` words. Half of ln p is taken off: the score lies between the share of mentions that have the unit
    and its lift over chance, and ranks better than either. The prior goes with √p, so that a unit that stands near no
    mention scores by the number of mentions alone, be it rare or frequent.
    """
    p = chance(frequencies, words=words, scale=scale)
    share = (np.asarray(sums, dtype=np.float64) + PRIOR * np.sqrt(p)) / (mentions + 0.5)
    return np.asarray(np.maximum(np.log(share), FLOOR) - 0.5 * np.log(p), dtype=np.float64)
