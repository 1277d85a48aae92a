"""How strongly details stand near a subject, against what chance would give: the score of a unit.

In: kernel sums around n mentions, corpus frequencies, the size of the corpus. Out: one number a unit. This module knows
no text and no rewards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FLOOR", "chance", "unit_scores"]

Floats = NDArray[np.float64]

FLOOR = -9.0
"""The least log share: what many mentions without the unit can prove at most."""


def chance(frequencies: ArrayLike, *, words: int, scale: float) -> Floats:
    """p_u: how likely a unit stands within about `scale` words of any position; shape (U,), in (0, 1].

    p = 1 − exp(−2·scale·max(f, ½)/N): a Poisson process of the unit's f occurrences among N words.
    """
    rate = 2.0 * scale * np.maximum(np.asarray(frequencies, dtype=np.float64), 0.5) / max(words, 1)
    return np.asarray(-np.expm1(-rate), dtype=np.float64)


def unit_scores(sums: ArrayLike, frequencies: ArrayLike, *, mentions: int, words: int, scale: float) -> Floats:
    """s_u = max(ln((K + ½p) / (n + ½)), FLOOR) − ½ ln p; shape (U,).

    sums: K, Σ over mentions of exp(−d / scale). frequencies: f, occurrences in the corpus of `words` words. The half
    mention is a prior at chance; half of ln p, not all of it, is taken off, which lies between the share of mentions
    that have the unit and its lift over chance, and ranks better than either.
    """
    p = chance(frequencies, words=words, scale=scale)
    share = (np.asarray(sums, dtype=np.float64) + 0.5 * p) / (mentions + 0.5)
    return np.asarray(np.maximum(np.log(share), FLOOR) - 0.5 * np.log(p), dtype=np.float64)
