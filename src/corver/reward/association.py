"""How strongly details stand near a subject, against what chance would give: the score of a unit.

In: distances to n mentions, binned; corpus frequencies, the size of the corpus. Out: one number a unit. This module
knows no text and no rewards.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["EDGES", "FLOOR", "PRIOR", "chance", "chance_scores", "edges_within", "kernel_sums", "unit_scores"]

Floats = NDArray[np.float64]

FLOOR = -10.0
"""The least log share: what many mentions without the unit can prove at most."""

PRIOR = 0.05
"""Of √p, the weight of what is expected before any mention is looked at."""

EDGES = (0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 450, 600, 900, 1200, 1800)
"""Upper ends, in words, of the bins that distances are counted in: one walk then serves every scale."""


def edges_within(cut: int) -> tuple[int, ...]:
    """The bins of the distances up to `cut`."""
    return (*(edge for edge in EDGES if edge < cut), cut)


def kernel_sums(histogram: ArrayLike, *, edges: tuple[int, ...], scale: float) -> Floats:
    """K = Σ exp(−d / scale) from binned distances: the mean of the kernel over each bin times what it holds.

    histogram: (U, E), by the first edge that d does not pass. Returns shape (U,).
    """
    return np.asarray(np.asarray(histogram, dtype=np.float64) @ _bin_means(edges, scale), dtype=np.float64)


@lru_cache(maxsize=64)
def _bin_means(edges: tuple[int, ...], scale: float) -> Floats:
    starts = [0, *(edge + 1 for edge in edges[:-1])]
    return np.array([np.exp(-np.arange(a, b + 1) / scale).mean() for a, b in zip(starts, edges, strict=True)])


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
    """max(ln((K + PRIOR·√p) / (n + ½)), FLOOR) − ½ ln p at one scale; shape (U,).

    sums: K, Σ over mentions of exp(−d / scale). mentions: n, their number or weight. frequencies: f, occurrences in the
    corpus of `words` words. Half of ln p is taken off: the score lies between the share of mentions that have the unit
    and its lift over chance, and ranks better than either. The prior goes with √p, so that a unit that stands near no
    mention scores by the number of mentions alone, be it rare or frequent.
    """
    p = chance(frequencies, words=words, scale=scale)
    share = (np.asarray(sums, dtype=np.float64) + PRIOR * np.sqrt(p)) / (mentions + 0.5)
    return np.asarray(np.maximum(np.log(share), FLOOR) - 0.5 * np.log(p), dtype=np.float64)
