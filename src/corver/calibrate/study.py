"""The whole look at a labelled set: what `corver calibrate curve` shows, writes and draws.

In: a labelled set and the name of a score. Out: a `Study` with P(true) by bin, tests, proposed thresholds, ranking and
reliability. What the labels do not allow is absent, with the reason. This module writes no file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corver.calibrate.bins import Bin, bins_of, edges_of, rate
from corver.calibrate.columns import Columns, Floats, Score, columns_of, left_out_of
from corver.calibrate.fit import cap_of, out_of_fold, why_not_folded
from corver.calibrate.jumps import Jumps, largest_jumps
from corver.calibrate.labelled import LabelledSet
from corver.calibrate.maps import CalibrationMap, Method
from corver.calibrate.monotone import Monotonicity, monotonicity
from corver.calibrate.ranking import auroc_of
from corver.calibrate.reliability import Reliability, brier, reliability
from corver.errors import UsageError
from corver.evaluate.stats import Estimate
from corver.progress import Progress, no_progress

__all__ = ["Settings", "Study", "study"]

FORMAT = "corver calibration curve"
VERSION = 1

_STEPS = 3

_STATES = ("no_claim", "no_evidence", "failed")


@dataclass(frozen=True, slots=True)
class Settings:
    """edges: lower ends of the bins above the first, None for the usual ones. jumps: thresholds to propose.

    bins: of reliability. method, folds: of the map that is cross-validated where none is given. draws: resamples.
    """

    edges: Sequence[float] | None = None
    jumps: int = 2
    bins: int = 10
    method: Method = "isotonic"
    folds: int = 5
    draws: int = 2000
    permutations: int = 2000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Study:
    """All figures. states: sentences without a verdict. source: where the probabilities of `reliability` come from.

    auroc is NaN, and reliability empty, for the `reasons` under these names.
    """

    labelled: LabelledSet
    score: Score
    size: int
    true: int
    base_rate: Estimate
    bins: tuple[Bin, ...]
    states: tuple[Bin, ...]
    monotone: Monotonicity
    jumps: Jumps
    auroc: Estimate
    reliability: tuple[Reliability, ...]
    source: str
    brier: float
    reasons: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "set": self.labelled.name,
            "scorer": self.labelled.scorer,
            "score": self.score,
            "sentences": self.size,
            "true": self.true,
            "weighted": self.labelled.weighted,
            "left_out": left_out_of(self.labelled, self.score),
            "base_rate": self.base_rate.to_json(),
            "bins": [one.to_json() for one in self.bins],
            "states": [one.to_json() for one in self.states],
            "monotone": self.monotone.to_json(),
            "jumps": self.jumps.to_json(),
            "auroc": self.auroc.to_json(),
            "reliability": {
                "source": self.source,
                "brier": None if math.isnan(self.brier) else self.brier,
                **{one.binning: one.to_json() for one in self.reliability},
            },
            "reasons": self.reasons,
        }


def study(
    labelled: LabelledSet,
    score: Score,
    *,
    settings: Settings | None = None,
    calibration: CalibrationMap | None = None,
    progress: Progress = no_progress,
) -> Study:
    """Look at a labelled set. calibration: the map whose probabilities are checked on these labels.

    Raises InputError when no sentence has the score, UsageError for edges that cannot be.
    """
    settings = settings or Settings()
    progress("measuring", 0, _STEPS, "steps")
    columns = columns_of(labelled, score)
    edges = edges_of(columns, score, edges=settings.edges)
    if score == "count":
        _check_cap(labelled, edges)
    bins = bins_of(columns, score, edges, total=sum(item.weight for item in labelled.items))
    reasons: dict[str, str] = {}
    if columns.one_class is not None:
        reasons["auroc"] = f"all {columns.size} labels are {columns.one_class}; a ranking needs both"
    found = _probabilities(labelled, columns, score, settings, calibration, reasons)
    tables = [] if found is None else [
        reliability(found, columns.truth_N, columns.weight_N, bins=settings.bins, binning=binning, seed=settings.seed)
        for binning in ("equal_width", "equal_mass")
    ]  # fmt: skip
    progress("measuring", 1, _STEPS, "steps")
    jumps = largest_jumps(columns, edges, most=settings.jumps, draws=settings.draws, seed=settings.seed)
    progress("measuring", 2, _STEPS, "steps")
    area = auroc_of(columns, draws=settings.draws, seed=settings.seed)
    progress("measuring", 3, _STEPS, "steps")
    return Study(
        labelled=labelled,
        score=score,
        size=columns.size,
        true=int(columns.truth_N.sum()),
        base_rate=rate(columns.truth_N, columns.weight_N),
        bins=tuple(bins),
        states=_states(labelled),
        monotone=monotonicity(
            [one.size for one in bins],
            [one.true for one in bins],
            permutations=settings.permutations,
            seed=settings.seed,
        ),
        jumps=jumps,
        auroc=area,
        reliability=tuple(tables),
        source=_source(score, settings, calibration),
        brier=math.nan if found is None else brier(found, columns.truth_N, columns.weight_N),
        reasons=reasons,
    )


def _probabilities(
    labelled: LabelledSet,
    columns: Columns,
    score: Score,
    settings: Settings,
    calibration: CalibrationMap | None,
    reasons: dict[str, str],
) -> Floats | None:
    """A probability a sentence, or None and a reason."""
    if calibration is not None:
        if calibration.score != score:
            raise UsageError(
                f"the calibration map is of {calibration.score}, not of {score}: take --score {calibration.score}"
            )
        return calibration.probability(columns.score_N)
    if score == "probability":
        return columns.score_N
    reason = why_not_folded(columns, folds=settings.folds, seed=settings.seed)
    if reason is not None:
        reasons["reliability"] = reason
        return None
    return out_of_fold(columns, settings.method, score, labelled=labelled, folds=settings.folds, seed=settings.seed)


def _source(score: Score, settings: Settings, calibration: CalibrationMap | None) -> str:
    if calibration is not None:
        return f"{calibration.method} map, {calibration.caution}"
    if score == "probability":
        return "the probabilities of the scored sentences"
    return f"{settings.method} maps fitted on the other {settings.folds - 1} of {settings.folds} folds of these labels"


def _states(labelled: LabelledSet) -> tuple[Bin, ...]:
    """P(true) of the sentences without a verdict."""
    total = sum(item.weight for item in labelled.items)
    found = []
    for state in _STATES:
        items = [item for item in labelled.items if item.status == state]
        if not items:
            continue
        truth = np.array([float(item.truth) for item in items])
        weight = np.array([item.weight for item in items])
        share = float(weight.sum() / total)
        found.append(Bin(state, -math.inf, math.inf, len(items), int(truth.sum()), share, rate(truth, weight)))
    return tuple(found)


def _check_cap(labelled: LabelledSet, edges: Sequence[float]) -> None:
    cap = cap_of(labelled)
    if cap is not None and edges[-1] > cap:
        raise UsageError(f"counting stopped at {cap} (--capped), so a bin that begins at {edges[-1]:g} cannot be told")
