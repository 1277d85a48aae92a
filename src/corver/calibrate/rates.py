"""A level as a noisy verdict on a sentence: how often it is wrong, either way.

In: labelled sentences with levels. Out: P(true) at each level, and for every level k from 1 up the error rates of the
verdict "level ≥ k": ρ0 = P(verdict says true | false) and ρ1 = P(verdict says false | true), as they enter the
corrections of arXiv 2510.00915. Weighted to all sentences that the sample was drawn from, since a sample stratified by
level gives no error rate by itself. Intervals are bootstrap intervals over groups. The JSON form is the file that a
run's configuration names. This module knows no correction.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from corver.calibrate.bins import bins_of, rate, tally_json
from corver.calibrate.columns import Columns, Floats, columns_of, percentile, resamples
from corver.calibrate.labelled import LabelledSet
from corver.errors import InputError, NoiseRatesError
from corver.evaluate.stats import Estimate, upper_limit_of_sum
from corver.runs import read_document, write_text

__all__ = ["LevelRate", "SentenceRates", "Verdict", "rates_by_level"]

FORMAT = "corver sentence rates"
VERSION = 1


@dataclass(frozen=True, slots=True)
class LevelRate:
    """A level, its labelled sentences, its share of all sentences with a verdict, and P(true) there."""

    level: int
    size: int
    true: int
    share: float
    probability: Estimate

    def to_json(self) -> dict[str, Any]:
        return {"level": self.level, **tally_json(self.size, self.true, self.share, self.probability)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict "level ≥ `level`". informative: ρ0 + ρ1 < 1, without which no correction exists."""

    level: int
    rho0: Estimate
    rho1: Estimate

    @property
    def informative(self) -> bool:
        return self.rho0.value + self.rho1.value < 1

    def to_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "rho0": self.rho0.to_json(),
            "rho1": self.rho1.to_json(),
            "informative": self.informative,
        }


@dataclass(frozen=True, slots=True)
class SentenceRates:
    """The rates of one scorer on one labelled set. base_rate: P(true) over all levels."""

    set_name: str
    scorer: str | None
    labels: int
    base_rate: Estimate
    levels: tuple[LevelRate, ...]
    verdicts: tuple[Verdict, ...]

    def verdict(self, level: int) -> Verdict:
        """The rates of "level ≥ `level`". Raises InputError when they were not measured."""
        for verdict in self.verdicts:
            if verdict.level == level:
                return verdict
        known = ", ".join(str(verdict.level) for verdict in self.verdicts) or "none"
        raise InputError(f"{self.set_name}: has no rates for a verdict from level {level} up (measured: {known})")

    def caution(self) -> str | None:
        """What makes rewards by these rates doubtful, in one line: an interval of ρ0 + ρ1 that reaches 1, or a P(true)
        that falls from one level to the next; None when nothing does. Raises NoiseRatesError where the levels say
        nothing: ρ0 + ρ1 >= 1 for one of them."""
        for one in self.levels[1:]:
            total = self._error_sum(one.level)
            if total >= 1 - 1e-9:
                raise NoiseRatesError(
                    f"{self.set_name}: sentences of level {one.level} and above are not true more often than those "
                    f"below (ρ0 + ρ1 = {total:.3f} >= 1), so no reward of levels can be right; label more sentences, "
                    "or score them otherwise"
                )
        doubts = [
            f"sentences of level {verdict.level} and above may be true no more often than those below "
            f"(ρ0 + ρ1 up to {limit:.3f})"
            for verdict in self.verdicts
            if (limit := upper_limit_of_sum(verdict.rho0, verdict.rho1)) >= 1
        ]
        doubts += [
            f"P(true) falls from level {low.level} to {high.level} "
            f"({low.probability.value:.3f}, {high.probability.value:.3f})"
            for low, high in pairwise(self.levels)
            if high.probability.value < low.probability.value
        ]
        return (
            f"{self.set_name}: {'; '.join(doubts)}: label more sentences before you train on this" if doubts else None
        )

    def _error_sum(self, level: int) -> float:
        """ρ0 + ρ1 of the verdict "level ≥ `level`"; NaN where all sentences are true, or all false."""
        share_L, true_L = np.array([(one.share, one.probability.value) for one in self.levels]).T
        above_L = np.array([one.level >= level for one in self.levels])
        true, false = share_L * true_L, share_L * (1 - true_L)
        if not (true.sum() > 0 and false.sum() > 0):
            return math.nan
        return float(false[above_L].sum() / false.sum() + true[~above_L].sum() / true.sum())

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "set": self.set_name,
            "scorer": self.scorer,
            "labels": self.labels,
            "base_rate": self.base_rate.to_json(),
            "levels": [level.to_json() for level in self.levels],
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
        }

    def save(self, path: Path) -> None:
        """Write them as JSON."""
        write_text(path, json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> SentenceRates:
        """Read rates. Raises InputError when the file holds none."""
        row = read_document(path, kind=FORMAT, version=VERSION, maker="corver calibrate curve --output DIR")
        try:
            if any(one["probability"]["value"] is None for one in row["levels"]):
                raise ValueError
            return cls(
                set_name=str(row["set"]),
                scorer=row["scorer"],
                labels=int(row["labels"]),
                base_rate=_estimate(row["base_rate"]),
                levels=tuple(
                    LevelRate(
                        int(one["level"]),
                        int(one["sentences"]),
                        int(one["true"]),
                        float(one["share"]),
                        _estimate(one["probability"]),
                    )
                    for one in row["levels"]
                ),
                verdicts=tuple(
                    Verdict(int(one["level"]), _estimate(one["rho0"]), _estimate(one["rho1"]))
                    for one in row["verdicts"]
                ),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(f"{path}: holds damaged sentence rates") from None


def rates_by_level(labelled: LabelledSet, *, draws: int = 2000, seed: int = 0) -> SentenceRates:
    """The rates of every level that labelled sentences have. Raises InputError when none has a level."""
    columns = columns_of(labelled, "level")
    levels = np.unique(columns.score_N)
    bins = bins_of(columns, "level", levels.tolist())
    return SentenceRates(
        set_name=labelled.name,
        scorer=labelled.scorer,
        labels=columns.size,
        base_rate=rate(columns.truth_N, columns.weight_N),
        levels=tuple(LevelRate(int(one.low), one.size, one.true, one.share, one.probability) for one in bins),
        verdicts=_verdicts(columns, np.arange(1, int(levels.max()) + 1), draws, seed),
    )


def _verdicts(
    columns: Columns, thresholds: np.ndarray[Any, np.dtype[np.int64]], draws: int, seed: int
) -> tuple[Verdict, ...]:
    """No verdict when one class is missing: an error rate given the other class has no sentence to come from."""
    if columns.one_class is not None or not thresholds.size:
        return ()
    positive_NK = (columns.score_N[:, None] >= thresholds).astype(np.float64)
    rho0, rho1 = _error_rates(columns, positive_NK, columns.weight_N[None, :])
    parts = [_error_rates(columns, positive_NK, weights) for weights in resamples(columns, draws=draws, seed=seed)]
    rho0_DK, rho1_DK = (np.concatenate(column) for column in zip(*parts, strict=True))
    return tuple(
        Verdict(int(level), percentile(float(rho0[0, k]), rho0_DK[:, k]), percentile(float(rho1[0, k]), rho1_DK[:, k]))
        for k, level in enumerate(thresholds)
    )


def _error_rates(columns: Columns, positive_NK: Floats, weight_DN: Floats) -> tuple[Floats, Floats]:
    """ρ0 and ρ1, [D, K]; NaN where a class has no weight."""
    false_DN, true_DN = weight_DN * (1 - columns.truth_N), weight_DN * columns.truth_N
    return _share(false_DN @ positive_NK, false_DN), 1 - _share(true_DN @ positive_NK, true_DN)


def _share(part_DK: Floats, whole_DN: Floats) -> Floats:
    whole = whole_DN.sum(axis=1, keepdims=True) * np.ones_like(part_DK)
    return np.asarray(
        np.divide(part_DK, whole, out=np.full(part_DK.shape, math.nan), where=whole > 0), dtype=np.float64
    )


def _estimate(row: dict[str, Any]) -> Estimate:
    """An estimate from its JSON: null is NaN."""
    value, low, high = (math.nan if row[name] is None else float(row[name]) for name in ("value", "low", "high"))
    return Estimate(value, low, high)
