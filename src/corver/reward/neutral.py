"""Z, the neutral point of the `profile` support: what an average detail of the first policy scores.

In: scored texts of the policy before training. Out: the median unit score with a bootstrap interval over texts. Lower
it and invented details pay; it is measured once and frozen, so that a policy cannot move its own yardstick. A unit's
score does not depend on Z, so any Z may be set while measuring. This module knows no corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from corver.errors import UsageError
from corver.types import SentenceScore

__all__ = ["Neutral", "measure_neutral"]


@dataclass(frozen=True, slots=True)
class Neutral:
    """Z and its 95 % interval; units and texts it was measured on."""

    value: float
    low: float
    high: float
    units: int
    texts: int


def measure_neutral(
    scores: Iterable[Sequence[SentenceScore]], *, quantile: float = 0.5, draws: int = 1000, seed: int = 0
) -> Neutral:
    """The quantile (the median unless told otherwise) of the scores of all units of names and numbers.

    scores: the verdicts of one text each. Common words are left out: they say little, and their share differs between
    policies. Texts without a unit do not count. Raises UsageError when none has one.
    """
    if not 0 < quantile < 1:
        raise UsageError(f"a quantile lies between 0 and 1, not {quantile}")
    rows = [[unit.score for score in text for unit in score.units if unit.weight >= 1.0] for text in scores]
    found = [np.array(row, dtype=np.float64) for row in rows if row]
    if not found:
        raise UsageError(
            "no scored sentence has a unit: Z needs texts of the first policy, scored with profile support"
        )
    rng = np.random.default_rng(seed)
    values = [
        float(np.quantile(np.concatenate([found[k] for k in rng.integers(0, len(found), len(found))]), quantile))
        for _ in range(draws)
    ]
    everything = np.concatenate(found)
    low, high = np.percentile(values, [2.5, 97.5]).tolist()
    return Neutral(float(np.quantile(everything, quantile)), low, high, everything.size, len(found))
