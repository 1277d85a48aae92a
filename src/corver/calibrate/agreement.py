"""How far two annotators agree: Cohen's kappa.

In: two labelled sheets of the same sentences. Out: raw agreement, kappa with a bootstrap interval, the table of labels,
and the sentences they disagree on. Kappa (Cohen 1960; weighted, Cohen 1968) is 1 − Σ v·observed / Σ v·expected, where v
is the cost of a disagreement: 1 for nominal labels, |i − j| or (i − j)² for ordered ones. This module knows no scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from corver.calibrate.columns import Floats, percentile
from corver.calibrate.sheet import LABELS, SheetRow, read_sheet
from corver.errors import InputError, UsageError
from corver.evaluate.stats import Estimate, wilson

__all__ = ["Agreement", "Disagreement", "Weighting", "agreement", "kappa", "read_pair"]

Weighting: TypeAlias = Literal["none", "linear", "quadratic"]

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A sentence with two labels. text: the sentence as it stands in the first sheet."""

    id: str
    first: str
    second: str
    text: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on the sentences that both labelled.

    table[i][j]: sentences with labels[i] by the first and labels[j] by the second. kappa: NaN with a `reason` when it
    is not defined. undefined_draws: share of resamples in which it was not; they have no part in the interval.
    """

    labels: tuple[str, ...]
    weighting: Weighting
    table: tuple[tuple[int, ...], ...]
    raw: Estimate
    kappa: Estimate
    reason: str | None
    undefined_draws: float
    unlabelled: int
    disagreements: tuple[Disagreement, ...]

    @property
    def size(self) -> int:
        return sum(map(sum, self.table))

    def to_json(self) -> dict[str, Any]:
        return {
            "sentences": self.size,
            "not_labelled_by_both": self.unlabelled,
            "labels": list(self.labels),
            "weights": self.weighting,
            "table": [list(row) for row in self.table],
            "raw_agreement": self.raw.to_json(),
            "kappa": self.kappa.to_json(),
            "reason": self.reason,
            "undefined_resamples": self.undefined_draws,
            "disagreements": [
                {"id": one.id, "first": one.first, "second": one.second, "sentence": one.text}
                for one in self.disagreements
            ],
        }


def read_pair(first: Path, second: Path, *, labels: Sequence[str] | None = None) -> list[tuple[SheetRow, SheetRow]]:
    """The rows of two sheets by id. labels: a vocabulary of one's own instead of true, false and unsure.

    Raises InputError when an id is in one sheet only, and when a label is not in the vocabulary; UsageError when that
    is none.
    """
    if labels is not None:
        _check_vocabulary(labels)
    sheets = [{row.id: row for row in read_sheet(path, check=labels is None)} for path in (first, second)]
    for (path, rows), (other, more) in ((pair, pair2) for pair, pair2 in _both_ways(first, second, sheets)):
        missing = sorted(set(rows) - set(more))
        if missing:
            shown = ", ".join(missing[:_SHOWN]) + (", …" if len(missing) > _SHOWN else "")
            raise InputError(f"{other}: lacks {len(missing)} ids of {path} ({shown}); give two sheets of one drawing")
        for row in rows.values():
            if labels is not None and row.label is not None and row.label not in labels:
                raise InputError(f"{path}:{row.line}: {row.label[:40]!r} is none of {', '.join(labels)}")
    return [(row, sheets[1][identity]) for identity, row in sorted(sheets[0].items())]


def agreement(
    pairs: Sequence[tuple[SheetRow, SheetRow]],
    *,
    labels: Sequence[str] = LABELS,
    weighting: Weighting = "none",
    draws: int = 2000,
    seed: int = 0,
) -> Agreement:
    """Agreement of two annotators. labels: in their order when `weighting` is not `none`.

    Raises InputError when no sentence was labelled by both, UsageError for labels that stand twice.
    """
    _check_vocabulary(labels)
    both = [(one, two) for one, two in pairs if one.label is not None and two.label is not None]
    if not both:
        raise InputError("no sentence was labelled by both annotators")
    place = {label: number for number, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for one, two in both:
        table[place[str(one.label)], place[str(two.label)]] += 1
    value = float(kappa(table[None], weighting)[0])
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(both), (table / len(both)).ravel(), size=draws).reshape(draws, *table.shape)
    values = kappa(drawn, weighting)
    return Agreement(
        labels=tuple(labels),
        weighting=weighting,
        table=tuple(tuple(row) for row in table.tolist()),
        raw=wilson(int(np.trace(table)), len(both)),
        kappa=Estimate(value, math.nan, math.nan) if math.isnan(value) else percentile(value, values),
        reason=_reason(table, labels) if math.isnan(value) else None,
        undefined_draws=float(np.isnan(values).mean()),
        unlabelled=len(pairs) - len(both),
        disagreements=tuple(
            Disagreement(one.id, str(one.label), str(two.label), one.cells.get("sentence", ""))
            for one, two in both
            if one.label != two.label
        ),
    )


def kappa(table_DKK: np.ndarray[Any, np.dtype[np.int64]], weighting: Weighting = "none") -> Floats:
    """Kappa of D tables of K labels; NaN where chance alone would leave no disagreement."""
    labels = np.arange(table_DKK.shape[1])
    distance = np.abs(labels[:, None] - labels).astype(np.float64)
    cost = {"none": (distance > 0).astype(np.float64), "linear": distance, "quadratic": distance**2}[weighting]
    counts = table_DKK.astype(np.float64)
    total = counts.sum(axis=(1, 2))
    expected = counts.sum(axis=2)[:, :, None] * counts.sum(axis=1)[:, None, :]
    by_chance = (cost * expected).sum(axis=(1, 2))
    found = (cost * counts).sum(axis=(1, 2)) * total
    ratio = np.divide(found, by_chance, out=np.full(total.shape, math.nan), where=by_chance > 0)
    return np.asarray(1 - ratio, dtype=np.float64)


def _check_vocabulary(labels: Sequence[str]) -> None:
    if len(set(labels)) != len(labels) or len(labels) < 2:
        raise UsageError(f"labels must be two or more different words, not {', '.join(labels) or 'none'}")


def _reason(table: np.ndarray[Any, np.dtype[np.int64]], labels: Sequence[str]) -> str:
    used = [
        label for label, row, column in zip(labels, table.sum(axis=1), table.sum(axis=0), strict=True) if row or column
    ]
    return f"kappa is not defined: both annotators gave every sentence the label {used[0]}"


def _both_ways(
    first: Path, second: Path, sheets: Sequence[Mapping[str, SheetRow]]
) -> tuple[tuple[tuple[Path, Mapping[str, SheetRow]], tuple[Path, Mapping[str, SheetRow]]], ...]:
    one, two = (first, sheets[0]), (second, sheets[1])
    return (one, two), (two, one)
