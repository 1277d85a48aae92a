"""Labelled sentences as arrays for one kind of score, and their bootstrap resamples.

In: a `LabelledSet` and the name of a score. Out: `Columns` of N sentences, and weights for resamples of them. Groups
are resampled whole (cluster bootstrap; Davison and Hinkley 1997, section 3.8), and every stratum keeps the total weight
it has in the sample. This module knows no statistic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from corver.calibrate.labelled import LabelledSet
from corver.calibrate.scored import as_number
from corver.errors import InputError
from corver.evaluate.stats import Estimate

__all__ = [
    "SCORES",
    "Columns",
    "Score",
    "columns_of",
    "effective_size",
    "left_out_of",
    "percentile",
    "resamples",
    "score_value",
]

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Score: TypeAlias = Literal["count", "level", "reward", "profile", "probability"]

SCORES: tuple[Score, ...] = ("count", "level", "reward", "profile", "probability")

_CHUNK = 4_000_000
"""Numbers held at a time by resampling."""

_RANGES: dict[Score, tuple[float, float]] = {
    "count": (0, 1e15),
    "level": (0, 999),
    "reward": (-1e9, 1e9),
    "profile": (-1e9, 1e9),
    "probability": (0, 1),
}
"""What a score can be. Beyond lies another quantity, or one whose squares no longer fit."""

_VERDICT = ("supported", "unsupported")


@dataclass(frozen=True, slots=True)
class Columns:
    """N labelled sentences that have a score, in the order of their ids.

    truth_N: 1 true, 0 false. weight_N: sentences that each stands for. group_N, stratum_N: codes from 0.
    """

    score_N: Floats
    truth_N: Floats
    weight_N: Floats
    group_N: Integers
    stratum_N: Integers

    def where(self, keep_N: NDArray[np.bool_]) -> Columns:
        """Those of them that are to be kept."""
        return Columns(
            score_N=self.score_N[keep_N],
            truth_N=self.truth_N[keep_N],
            weight_N=self.weight_N[keep_N],
            group_N=self.group_N[keep_N],
            stratum_N=self.stratum_N[keep_N],
        )

    @property
    def size(self) -> int:
        return int(self.score_N.size)

    @property
    def one_class(self) -> str | None:
        """`true` or `false` when all labels are that, else None."""
        if self.truth_N.min(initial=1.0) == self.truth_N.max(initial=0.0):
            return "true" if self.truth_N[0] else "false"
        return None


def columns_of(labelled: LabelledSet, score: Score) -> Columns:
    """The sentences with a verdict and a finite score.

    Raises InputError when there are none, and for a number that cannot be such a score (a count below 0, half a level).
    """
    rows = [
        (value, item)
        for item in labelled.items
        if item.status in _VERDICT and (value := score_value(item.fields, score)) is not None
    ]
    if not rows:
        raise InputError(f"{labelled.name}: no labelled sentence has a {score}{_hint(score)}")
    low, high = _RANGES[score]
    for value, _ in rows:
        if not low <= value <= high or (score == "level" and value % 1):
            whole = "whole number" if score == "level" else "number"
            raise InputError(f"{labelled.name}: {value:g} is no {score}: that is a {whole} from {low:g} to {high:g}")
    items = [item for _, item in rows]
    return Columns(
        score_N=np.array([value for value, _ in rows]),
        truth_N=np.array([float(item.truth) for item in items]),
        weight_N=np.array([item.weight for item in items]),
        group_N=_codes([item.group for item in items]),
        stratum_N=_codes([item.stratum or "" for item in items]),
    )


def left_out_of(labelled: LabelledSet, score: Score) -> dict[str, int]:
    """Why to how many: what of the labels the set left out, and sentences with a verdict that lack the score."""
    lacking = sum(item.status in _VERDICT and score_value(item.fields, score) is None for item in labelled.items)
    return {**labelled.left_out, **({f"without a {score}": lacking} if lacking else {})}


def score_value(fields: Mapping[str, Any], score: Score) -> float | None:
    """A sentence's score from the JSON of its verdict; None when it has none.

    `profile` is the mean of its units' scores by their weights, which `reward` bounds and shrinks.
    """
    if score == "profile":
        return _profile(fields.get("units"))
    return as_number(fields.get(score))


def resamples(columns: Columns, *, draws: int, seed: int) -> Iterator[Floats]:
    """Weights of `draws` bootstrap resamples, some rows of N at a time."""
    rng = np.random.default_rng(seed)
    groups = int(columns.group_N.max()) + 1
    strata = np.eye(int(columns.stratum_N.max()) + 1)[columns.stratum_N]
    total = columns.weight_N @ strata
    step = max(1, _CHUNK // columns.size)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        times = rng.multinomial(groups, np.full(groups, 1 / groups), size=size)
        weights = times[:, columns.group_N] * columns.weight_N
        if total.size > 1:
            drawn = weights @ strata
            weights *= np.divide(total, drawn, out=np.zeros_like(drawn), where=drawn > 0)[:, columns.stratum_N]
        yield weights


def percentile(value: float, draws: Floats) -> Estimate:
    """A value with the 95 % percentile interval of its resamples; those in which it was undefined are NaN."""
    known = draws[np.isfinite(draws)]
    if not known.size:
        return Estimate(value, math.nan, math.nan)
    low, high = np.percentile(known, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def effective_size(weight_N: Floats) -> float:
    """(Σw)² / Σw²: how many equally weighted sentences tell as much (Kish 1965)."""
    squares = float(weight_N @ weight_N)
    return float(weight_N.sum()) ** 2 / squares if squares else 0.0


def _codes(names: list[str]) -> Integers:
    order = {name: code for code, name in enumerate(sorted(set(names)))}
    return np.array([order[name] for name in names], dtype=np.int64)


def _profile(units: Any) -> float | None:
    if not isinstance(units, list):
        return None
    known = [(as_number(unit.get("weight")), as_number(unit.get("score"))) for unit in units if isinstance(unit, dict)]
    pairs = [(weight, value) for weight, value in known if weight is not None and value is not None]
    total = sum(weight for weight, _ in pairs)
    return sum(weight * value for weight, value in pairs) / total if total > 0 else None


def _hint(score: Score) -> str:
    if score == "count":
        return "; with profile support take --score profile or reward"
    return "; score with --support profile" if score == "profile" else ""
