"""The neutral point of a policy, from scored texts on disk.

In: what `corver score --support profile` wrote about the rollouts of the first policy. Out: Z, the median score of
their names and numbers, with its interval. `corver.reward.neutral` measures it; this module only reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corver.calibrate.scored import as_number, iter_rows, one_scorer
from corver.errors import InputError, UsageError
from corver.evaluate.stats import Estimate
from corver.progress import Progress, no_progress
from corver.reward.neutral import measure_neutral
from corver.types import SentenceScore, Span, Status, Unit

__all__ = ["NeutralPoint", "neutral_of"]

FORMAT = "corver neutral point"
VERSION = 1
_GREATEST = 1e9


@dataclass(frozen=True, slots=True)
class NeutralPoint:
    """Z with its 95 % interval, from so many units of so many texts.

    without_evidence: texts that bear on nothing since the corpus knows no subject of theirs; without_units: those that
    have no name or number to score for another reason.
    """

    value: Estimate
    units: int
    texts: int
    without_evidence: int
    without_units: int
    scorer: str | None
    set_name: str

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "neutral": self.value.value,
            "low": self.value.low,
            "high": self.value.high,
            "units": self.units,
            "texts": self.texts,
            "texts_without_evidence": self.without_evidence,
            "texts_without_units": self.without_units,
            "scorer": self.scorer,
            "set": self.set_name,
        }


def neutral_of(paths: Sequence[Path], *, progress: Progress = no_progress) -> NeutralPoint:
    """Measure Z. Raises InputError for files without units, or of more than one scorer."""
    name = ", ".join(path.name for path in paths)
    scorers: set[str] = set()
    texts = [
        list(_sentences(row, scorers, f"{path}:{number}"))
        for path, number, row in iter_rows(paths, progress=progress)
        if "error" not in row or "sentences" in row
    ]
    if not any(sentence.units for text in texts for sentence in text):
        raise InputError(f"{name}: no sentence carries units; score the rollouts with --support profile")
    try:
        found = measure_neutral(texts)
    except UsageError as error:
        raise InputError(f"{name}: {error}") from None
    unknown = sum(
        any(one.status is Status.NO_EVIDENCE for one in text) and not any(one.units for one in text) for text in texts
    )
    return NeutralPoint(
        value=Estimate(found.value, found.low, found.high),
        units=found.units,
        texts=found.texts,
        without_evidence=unknown,
        without_units=len(texts) - found.texts - unknown,
        scorer=one_scorer(sorted(scorers), where=name),
        set_name=name,
    )


def _sentences(row: Mapping[str, Any], scorers: set[str], where: str) -> Iterator[SentenceScore]:
    """What of a row's sentences bears on Z: their units."""
    if isinstance(row.get("scorer"), str):
        scorers.add(row["scorer"])
    sentences = row.get("sentences")
    for fields in sentences if isinstance(sentences, list) else []:
        units = fields.get("units") if isinstance(fields, dict) else None
        found = tuple(unit for raw in units or () if (unit := _unit(raw, where)) is not None)
        unknown = isinstance(fields, dict) and fields.get("status") == Status.NO_EVIDENCE.value
        status = Status.SUPPORTED if found else Status.NO_EVIDENCE if unknown else Status.NO_CLAIM
        yield SentenceScore(Span(0, 0), "", status, 0.0, units=found)


def _unit(raw: Any, where: str) -> Unit | None:
    if not isinstance(raw, dict):
        return None
    score, weight = as_number(raw.get("score")), as_number(raw.get("weight"))
    if score is None:
        return None
    if abs(score) > _GREATEST:
        raise InputError(f"{where}: {score:g} is no score of a unit")
    return Unit(str(raw.get("text", "")), Span(0, 0), 1.0 if weight is None else weight, score, 0.0)
