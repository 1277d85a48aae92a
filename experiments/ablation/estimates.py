"""From trials to estimates: means over seeds, paired differences, intervals, and what could have been seen at all.

In: rows of a results file. Out: `Estimate`s. A seed is one world with its own facts, corpus and pretrained policy, so
seeds are independent and arms are compared in pairs within them. Intervals are 95 % Student intervals over seeds. This
module prints nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from measure import RATES, rate
from scipy import stats

__all__ = [
    "HELDOUT",
    "LEAST_SEEDS",
    "Estimate",
    "Results",
    "Verdict",
    "least_visible",
    "mean_of",
    "paired",
    "read_results",
    "verdict",
]

HELDOUT = ("heldout_fact", "heldout_person")
Verdict: TypeAlias = Literal["higher", "lower", "not told apart", "too few seeds"]
LEAST_SEEDS = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `seeds` values with its 95 % interval; NaN bounds below two values. spread: their std."""

    value: float
    low: float
    high: float
    spread: float
    seeds: int


@dataclass(frozen=True)
class Results:
    """Trials by (arm, seed); raw policies by seed; the set-up."""

    setup: Mapping[str, Any]
    trials: Mapping[tuple[str, int], Mapping[str, Any]]
    raw: Mapping[int, Mapping[str, Any]]

    def seeds(self, arm: str) -> list[int]:
        """Seeds on which an arm was run; `raw` has all of them."""
        return (
            sorted(self.raw) if arm in ("raw", "raw_no_rule") else sorted(s for name, s in self.trials if name == arm)
        )

    def evaluation(self, arm: str, seed: int) -> Mapping[str, Any]:
        """Tallies of an arm, or of the raw policy under the instruction with or without the rule."""
        if arm == "raw":
            return self.raw[seed]["rule"]
        if arm == "raw_no_rule":
            return self.raw[seed]["no_rule"]
        return self.trials[arm, seed]["evaluation"]

    def late_rates(self, arm: str, name: str, *, last: int = 10) -> dict[int, float]:
        """Seed to the rate over the rollouts of the last steps of training: the same questions in every arm."""
        found = {}
        for seed in self.seeds(arm):
            curve = self.trials[arm, seed]["curve"]
            found[seed] = rate({part: sum(curve[part][-last:]) for part in RATES[name]}, name)
        return found

    def rates(
        self, arm: str, name: str, *, sets: Sequence[str] = HELDOUT, mode: str = "greedy", quartile: int | None = None
    ) -> dict[int, float]:
        """Seed to the rate over the questions of `sets` together, perhaps of one quartile of popularity alone."""
        found = {}
        for seed in self.seeds(arm):
            table = self.evaluation(arm, seed)[mode]
            keys = [one if quartile is None else f"{one}/{quartile}" for one in sets]
            above_below = {part: sum(table[key][part] for key in keys if key in table) for part in RATES[name]}
            found[seed] = rate(above_below, name)
        return found


def read_results(path: Path) -> Results:
    """A file that `small.py --collect` wrote."""
    head, *rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    raw = {int(seed): table for seed, table in head["raw"].items()}
    return Results(head["setup"], {(row["arm"], row["seed"]): row for row in rows}, raw)


def mean_of(values: Mapping[int, float]) -> Estimate:
    """Mean over seeds; NaN values are left out."""
    known = np.array([value for value in values.values() if not math.isnan(value)])
    if not known.size:
        return Estimate(math.nan, math.nan, math.nan, math.nan, 0)
    if known.size < 2:
        return Estimate(float(known[0]), math.nan, math.nan, math.nan, 1)
    spread = float(known.std(ddof=1))
    half = float(stats.t.ppf(0.975, known.size - 1)) * spread / math.sqrt(known.size)
    centre = float(known.mean())
    return Estimate(centre, centre - half, centre + half, spread, int(known.size))


def paired(above: Mapping[int, float], below: Mapping[int, float]) -> Estimate:
    """Mean of above − below over the seeds that both have."""
    return mean_of({seed: above[seed] - below[seed] for seed in above.keys() & below.keys()})


def verdict(difference: Estimate) -> Verdict:
    """What the interval of a difference says."""
    if difference.seeds < LEAST_SEEDS:
        return "too few seeds"
    if difference.low > 0:
        return "higher"
    return "lower" if difference.high < 0 else "not told apart"


def least_visible(difference: Estimate, *, power: float = 0.8) -> float:
    """The true difference that as many seeds would show, with 95 % confidence, in `power` of repetitions.

    From the spread that was seen, by the non-central t distribution: the δ at which P(T > t_.975) = power.
    """
    if difference.seeds < LEAST_SEEDS or not difference.spread:
        return math.nan
    freedom, error = difference.seeds - 1, difference.spread / math.sqrt(difference.seeds)
    bound = float(stats.t.ppf(0.975, freedom))
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        # The tail on the wrong side is below 0.001 wherever the power is not small, and scipy's is not to be relied on.
        seen = stats.nct.sf(bound, freedom, middle)
        low, high = (low, middle) if seen >= power else (middle, high)
    return high * error
