"""Fitting maps from score to probability, and checking them on labels that they have not seen.

In: columns of labelled sentences. Out: a `CalibrationMap`, and out-of-fold probabilities.

- Platt scaling (Platt 1999): a logistic regression on the score with the targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2), so
  that separable labels still give a finite slope.
- Isotonic regression (Zadrozny and Elkan 2002): the rising steps nearest to the labels, linear between steps. A step on
  few sentences knows little, the outermost least, where one sentence may make a step of 0 or 1. So each step counts one
  more sentence that is as true as all are in the mean, and steps that this puts out of order are pooled.

scikit-learn does the fitting. This module knows no files.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from corver.calibrate.columns import Columns, Floats, Integers, Score, score_value
from corver.calibrate.labelled import LabelledSet
from corver.calibrate.maps import CalibrationMap, Method, transform_of
from corver.calibrate.ranking import auroc_of
from corver.calibrate.reliability import Binning, brier, reliability
from corver.errors import InputError

__all__ = ["cap_of", "fit_map", "folds_of", "out_of_fold", "validated", "why_not_folded"]


def fit_map(columns: Columns, method: Method, score: Score, *, labelled: LabelledSet) -> CalibrationMap:
    """Fit on all columns. Raises InputError when all labels are the same."""
    only = columns.one_class
    if only is not None:
        raise InputError(f"{labelled.name}: all {columns.size} labels are {only}; a map needs both")
    x = np.log1p(columns.score_N) if transform_of(score) == "log1p" else columns.score_N
    weight = columns.weight_N * columns.size / columns.weight_N.sum()
    parameters: dict[str, Any] = {}
    if method == "platt":
        parameters["slope"], parameters["intercept"] = _platt(x, columns.truth_N, weight)
    else:
        parameters["points"] = _isotonic(x, columns.truth_N, weight)
    return CalibrationMap(
        method=method,
        score=score,
        labels=columns.size,
        true=int(columns.truth_N.sum()),
        set_name=labelled.name,
        scorer=labelled.scorer,
        cap=cap_of(labelled) if score == "count" else None,
        **parameters,
    )


def out_of_fold(
    columns: Columns, method: Method, score: Score, *, labelled: LabelledSet, folds: int = 5, seed: int = 0
) -> Floats:
    """The probability of each sentence by a map fitted on the other folds; no group lies in two folds.

    Raises InputError for the reasons that `why_not_folded` gives.
    """
    reason = why_not_folded(columns, folds=folds, seed=seed)
    if reason is not None:
        raise InputError(f"{labelled.name}: {reason}")
    fold_N = folds_of(columns, folds=folds, seed=seed)
    found = np.empty(columns.size)
    for fold in range(folds):
        held = fold_N == fold
        rest = columns.where(~held)
        found[held] = fit_map(rest, method, score, labelled=labelled).probability(columns.score_N[held])
    return found


def validated(
    found: CalibrationMap, columns: Columns, *, labelled: LabelledSet, folds: int = 5, draws: int = 2000, seed: int = 0
) -> CalibrationMap:
    """The map with what it is worth on labels that it was not fitted on, or with the `reason` why nobody knows.

    draws: bootstrap resamples of the area under the ROC curve.
    """
    reason = why_not_folded(columns, folds=folds, seed=seed)
    if reason is not None:
        return replace(found, validation={"reason": reason})
    unseen = out_of_fold(columns, found.method, found.score, labelled=labelled, folds=folds, seed=seed)
    wide, mass = (
        reliability(unseen, columns.truth_N, columns.weight_N, binning=binning, seed=seed)
        for binning in get_args(Binning)
    )
    figures = {
        "folds": folds,
        "auroc": auroc_of(columns, draws=draws, seed=seed).to_json(),
        "ece": wide.ece,
        "ece_equal_mass": mass.ece,
        "ece_if_right": wide.ece_if_right.to_json(),
        "brier": brier(unseen, columns.truth_N, columns.weight_N),
    }
    return replace(found, validation=figures)


def why_not_folded(columns: Columns, *, folds: int, seed: int) -> str | None:
    """Why these labels cannot be cross-validated, None when they can."""
    if columns.one_class is not None:
        return f"all {columns.size} labels are {columns.one_class}; a map needs both"
    groups = int(columns.group_N.max()) + 1
    if groups < folds:
        return f"{groups} groups of sentences are too few for {folds} folds"
    fold_N = folds_of(columns, folds=folds, seed=seed)
    for fold in range(folds):
        only = columns.where(fold_N != fold).one_class
        if only is not None:
            return f"too few {'false' if only == 'true' else 'true'} labels for {folds} folds"
    return None


def folds_of(columns: Columns, *, folds: int, seed: int) -> Integers:
    """The fold of each sentence: groups dealt out in the order of their hashes, so equal in number."""
    groups = int(columns.group_N.max()) + 1
    order = sorted(range(groups), key=lambda group: hashlib.sha256(f"{seed} {group}".encode()).digest())
    fold_G = np.empty(groups, dtype=np.int64)
    fold_G[order] = np.arange(groups) % folds
    return np.asarray(fold_G[columns.group_N], dtype=np.int64)


def cap_of(labelled: LabelledSet) -> int | None:
    """The count at which counting stopped, None when all counts are exact."""
    capped = [score_value(item.fields, "count") for item in labelled.items if item.fields.get("capped")]
    return max((int(count) for count in capped if count is not None), default=None)


def _platt(x_N: Floats, truth_N: Floats, weight_N: Floats) -> tuple[float, float]:
    """Slope and intercept: every sentence enters as a true and as a false one, with its smoothed target for weight."""
    from sklearn.linear_model import LogisticRegression

    positive = float(truth_N.sum())
    negative = truth_N.size - positive
    target = np.where(truth_N == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))
    centre, spread = float(x_N.mean()), float(x_N.std())
    if spread == 0:  # all scores alike: nothing but the base rate
        rate = float(weight_N @ target / weight_N.sum())
        return 0.0, float(np.log(rate / (1 - rate)))
    scaled = (x_N - centre) / spread
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    model.fit(
        np.r_[scaled, scaled][:, None],
        np.r_[np.ones(x_N.size), np.zeros(x_N.size)],
        sample_weight=np.r_[weight_N * target, weight_N * (1 - target)],
    )
    slope = float(model.coef_[0, 0]) / spread
    return slope, float(model.intercept_[0]) - slope * centre


def _isotonic(x_N: Floats, truth_N: Floats, weight_N: Floats) -> tuple[tuple[float, float], ...]:
    """(score, probability) at both ends of every step."""
    from scipy.optimize import isotonic_regression
    from sklearn.isotonic import IsotonicRegression

    x_U, unique = np.unique(x_N, return_inverse=True)
    model = IsotonicRegression(increasing=True).fit(x_N, truth_N, sample_weight=weight_N)
    height_U, weight_U = model.predict(x_U), np.bincount(unique, weights=weight_N)
    first = np.flatnonzero(np.r_[True, np.diff(height_U) > 0])
    last = np.r_[first[1:] - 1, x_U.size - 1]
    size = np.add.reduceat(weight_U, first)
    mean = float(weight_N @ truth_N / weight_N.sum())
    height = isotonic_regression((height_U[first] * size + mean) / (size + 1), weights=size + 1).x
    ends = {float(x_U[at]): float(p) for at, p in zip([*first, *last], [*height, *height], strict=True)}
    return tuple(sorted(ends.items()))
