"""Maps from a score to a probability, as plain JSON.

In: the file that `corver calibrate fit` wrote, and scores. Out: probabilities, with the words that must stand beside
them: on how many labels of which set they rest. A map belongs to one scorer (index, extractor, settings); the scores of
another are refused. Loading and applying a map needs numpy alone. This module fits nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corver.calibrate.columns import SCORES, Score, score_value
from corver.calibrate.scored import as_number
from corver.errors import InputError, UsageError
from corver.runs import read_document, write_text

__all__ = ["CalibrationMap", "Method", "Transform", "transform_of"]

Method: TypeAlias = Literal["platt", "isotonic"]
Transform: TypeAlias = Literal["identity", "log1p"]

FORMAT = "corver calibration map"
VERSION = 1
_MOST = 10**15


def transform_of(score: Score) -> Transform:
    """Counts span orders of magnitude, so they enter as ln(1 + count)."""
    return "log1p" if score == "count" else "identity"


@dataclass(frozen=True, slots=True)
class CalibrationMap:
    """P(true | score).

    points: `isotonic`: (transformed score, probability) between which one interpolates, rising; `platt`: none.
    slope, intercept: `platt`: logit P = slope · transformed score + intercept. scorer: fingerprint of what the scores
    are of, None when the labels did not say. labels, true: how many sentences it was fitted on. set_name: their files.
    cap: the count at which counting stopped, None for exact counts. validation: figures of the fit, for the reader.
    """

    method: Method
    score: Score
    labels: int
    true: int
    set_name: str
    scorer: str | None = None
    slope: float = 0.0
    intercept: float = 0.0
    points: tuple[tuple[float, float], ...] = ()
    cap: int | None = None
    validation: Mapping[str, Any] = field(default_factory=dict)

    def probability(self, scores: ArrayLike) -> NDArray[np.float64]:
        """One probability a score, in the shape of `scores`; NaN stays NaN. Scores beyond the labelled ones get the
        nearest labelled score's probability (isotonic) or follow the curve (Platt)."""
        value = np.asarray(scores, dtype=np.float64)
        if self.cap is not None:
            value = np.minimum(value, self.cap)
        x = np.log1p(value) if transform_of(self.score) == "log1p" else value
        if self.method == "isotonic":
            known, heights = np.array(self.points).T
            found = np.interp(x, known, heights)
        else:
            found = (1 + np.tanh((self.slope * x + self.intercept) / 2)) / 2  # the logistic function, without overflow
        return np.asarray(np.where(np.isnan(x), math.nan, found), dtype=np.float64)

    def of_sentence(self, sentence: Mapping[str, Any]) -> float | None:
        """The probability of a sentence, from the JSON of its verdict; None when it has no verdict or no such score."""
        if sentence.get("status") not in ("supported", "unsupported"):
            return None
        value = score_value(sentence, self.score)
        return None if value is None else float(self.probability(value))

    @property
    def caution(self) -> str:
        """What must stand wherever one of its probabilities is shown."""
        return f"calibrated on {self.labels} labels of {self.set_name}; does not carry over to other text"

    def check(self, scorer: str, *, exact_counts: bool = True) -> str | None:
        """A warning when nobody knows which scorer the map belongs to, else None.

        Raises UsageError when the map belongs to another scorer, or to exact counts where these are capped.
        """
        if self.score == "count" and self.cap is None and not exact_counts:
            raise UsageError("the calibration map was fitted on exact counts; score with --exact")
        if self.scorer is None:
            return "the calibration map does not say which scorer it belongs to; its probabilities may be wrong"
        if self.scorer != scorer:
            raise UsageError(
                f"the calibration map belongs to scorer {self.scorer}, these scores are of {scorer} (another index, "
                "extractor or setting); fit a map on labels that this scorer scored"
            )
        return None

    def to_json(self) -> dict[str, Any]:
        parameters: dict[str, Any] = {"slope": self.slope, "intercept": self.intercept}
        if self.method == "isotonic":
            parameters = {"points": [list(point) for point in self.points]}
        return {
            "format": FORMAT,
            "version": VERSION,
            "method": self.method,
            "score": self.score,
            "transform": transform_of(self.score),
            "parameters": parameters,
            "scorer": self.scorer,
            "labels": self.labels,
            "true": self.true,
            "set": self.set_name,
            "cap": self.cap,
            "caution": self.caution,
            "validation": dict(self.validation),
        }

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        write_text(path, json.dumps(self.to_json(), indent=2, ensure_ascii=True, allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a map. Raises InputError when the file is none, or its numbers are no map."""
        row = read_document(path, kind=FORMAT, version=VERSION, maker="corver calibrate fit")
        try:
            return cls(**_fields(row))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: is a damaged calibration map ({error})") from None


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a map from its JSON, checked: a file may come from a stranger."""
    method, score, parameters = row["method"], row["score"], row["parameters"]
    if method not in get_args(Method) or score not in SCORES or row.get("transform") != transform_of(score):
        raise ValueError("unknown method, score or transform")
    scorer, cap = row.get("scorer"), row.get("cap")
    if not isinstance(scorer, str | None) or not isinstance(row["set"], str):
        raise ValueError("scorer and set must be names")
    fields = {
        "method": method,
        "score": score,
        "scorer": scorer,
        "labels": _whole(row["labels"]),
        "true": _whole(row["true"]),
        "set_name": row["set"],
        "cap": None if cap is None else _whole(cap),
        "validation": row.get("validation") or {},
    }
    if method == "platt":
        return fields | {"slope": _number(parameters["slope"]), "intercept": _number(parameters["intercept"])}
    return fields | {"points": _points(parameters["points"])}


def _points(raw: Sequence[Sequence[Any]]) -> tuple[tuple[float, float], ...]:
    points = tuple((_number(x), _number(p)) for x, p in raw)
    xs, heights = [x for x, _ in points], [p for _, p in points]
    if not points or xs != sorted(set(xs)) or heights != sorted(heights) or heights[0] < 0 or heights[-1] > 1:
        raise ValueError("its points do not rise, or leave [0, 1]")
    return points


def _number(value: Any) -> float:
    number = as_number(value)
    if number is None:
        raise ValueError(f"{repr(value)[:40]} is no number")
    return number


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MOST:
        raise ValueError(f"{repr(value)[:40]} is no number of labels or occurrences")
    return value
