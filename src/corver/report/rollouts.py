"""How the training rollouts changed: the first steps beside the last ones.

In: samples.jsonl of a run folder. Out: tallies of both ends and a few rollouts of each. One pass keeps a tally and the
offsets of a few rows a step; what is shown is read again. This module knows no HTML.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from corver.report.excerpts import Excerpt, make_excerpt
from corver.report.levels import LevelScale, Tally
from corver.report.read import located_rows, row_at
from corver.report.values import integer, items, number, points, text_of

__all__ = ["Phase", "ShownRollout", "read_phases"]

SHARE = 0.1
"""Each end takes this share of the steps, at least one and at most ten."""
KEPT_A_STEP = 4


@dataclass(frozen=True, slots=True)
class ShownRollout:
    """One training rollout, ready to be shown."""

    step: int
    question: str
    response: str
    excerpt: Excerpt


@dataclass(frozen=True, slots=True)
class Phase:
    """One end of training. response: mean response reward, None where none is known."""

    title: str
    tally: Tally
    response: float | None
    shown: tuple[ShownRollout, ...]


@dataclass(slots=True)
class _Step:
    tally: Tally = field(default_factory=Tally)
    responses: list[float] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)


def read_phases(path: Path, scale: LevelScale, notes: list[str], *, shown: int = 3, seed: int = 0) -> list[Phase]:
    """The first and the last steps; [] without samples, and one phase only when there is a single step."""
    steps: dict[int, _Step] = {}
    for offset, row in located_rows(path, notes):
        number_of_step = integer(row.get("step"))
        if number_of_step is None:
            continue
        step = steps.setdefault(number_of_step, _Step())
        step.tally.add(row.get("completion"), items(row.get("sentences")), scale)
        if (response := number(row.get("response"))) is not None:
            step.responses.append(response)
        if len(step.offsets) < KEPT_A_STEP:
            step.offsets.append(offset)
    if not steps:
        return []
    order = sorted(steps)
    many = min(10, max(1, round(SHARE * len(order))))
    ends = [("First", order[:many])] if len(order) == 1 else [("First", order[:many]), ("Last", order[-many:])]
    pick = random.Random(seed)
    return [_phase(path, name, {key: steps[key] for key in keys}, scale, shown, pick) for name, keys in ends]


def _phase(path: Path, name: str, steps: dict[int, _Step], scale: LevelScale, shown: int, pick: random.Random) -> Phase:
    tally = Tally()
    responses: list[float] = []
    offsets: list[tuple[int, int]] = []
    for number_of_step, step in steps.items():
        tally.merge(step.tally)
        responses += step.responses
        offsets += [(number_of_step, offset) for offset in step.offsets]
    chosen = sorted(pick.sample(offsets, min(shown, len(offsets))))
    first, last = min(steps), max(steps)
    return Phase(
        title=f"{name} step ({first})" if first == last else f"{name} steps ({first}–{last})",
        tally=tally,
        response=sum(responses) / len(responses) if responses else None,
        shown=tuple(_rollout(path, step, offset, scale) for step, offset in chosen),
    )


def _rollout(path: Path, step: int, offset: int, scale: LevelScale) -> ShownRollout:
    row = row_at(path, offset)
    return ShownRollout(
        step=step,
        question=text_of(row.get("question"), limit=300),
        response=points(number(row.get("response"))),
        excerpt=make_excerpt(row.get("completion"), row.get("sentences"), scale, characters=1500),
    )
