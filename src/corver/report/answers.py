"""The questions of the evaluation: which of them are worth showing, with both answers side by side.

In: evaluation/raw.jsonl and trained.jsonl of a run folder. Out: chosen pairs of answers, and tallies of each side. Only
digests are held in memory; the rows that are shown are read again by their offsets. This module knows no HTML.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from corver.report.excerpts import Excerpt, make_excerpt
from corver.report.levels import LevelScale, Tally
from corver.report.read import located_rows, row_at
from corver.report.values import change, integer, items, points, text_of

__all__ = ["GROUPS", "Answer", "Group", "PairOfAnswers", "Side", "choose", "read_pair", "read_side"]

Group: TypeAlias = Literal["improved", "worsened", "gained", "lost", "random"]

GROUPS: dict[Group, str] = {
    "improved": "Most improved",
    "worsened": "Most worsened",
    "gained": "Now correct",
    "lost": "No longer correct",
    "random": "Random",
}
LABELS = {"correct": "correct", "wrong": "wrong", "not_attempted": "not attempted"}
ANSWERS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Digest:
    """What is kept of one answered question. reward: mean of its claims, None without any."""

    offset: int
    label: str
    reward: float | None


@dataclass(slots=True)
class Side:
    """One model's answers by question id."""

    path: Path
    digests: dict[str, Digest] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class Answer:
    """One model's answer, ready to be shown."""

    label: str
    reward: str
    tokens: str
    cut_off: bool
    malformed: bool
    excerpt: Excerpt


@dataclass(frozen=True, slots=True)
class PairOfAnswers:
    """A question with both answers. change: of the mean sentence reward, '' where one side makes no claim."""

    question: str
    answers: tuple[str, ...]
    more_answers: int
    groups: tuple[Group, ...]
    change: str
    raw: Answer
    trained: Answer


def read_side(path: Path, scale: LevelScale, notes: list[str]) -> Side:
    """Digests of one evaluation file; empty when it is not there. A row without an id is known by its position."""
    side = Side(path)
    for position, (offset, row) in enumerate(located_rows(path, notes)):
        sentences = items(row.get("sentences"))
        side.tally.add(row.get("completion"), sentences, scale)
        own = Tally()
        own.add(None, sentences, scale)
        key = text_of(row.get("id"), limit=200) or f"#{position}"
        side.digests.setdefault(key, Digest(offset, _label(row), own.mean_reward))
    return side


def choose(raw: Side, trained: Side, *, each: int = 8, seed: int = 0) -> dict[str, tuple[Group, ...]]:
    """Question ids to show, each with the groups it was chosen for; at most `each` a group, `random` half as many more.

    Improved and worsened go by the change of the mean sentence reward; a question is in them only if it moved.
    """
    both = [key for key in raw.digests if key in trained.digests]
    moved: dict[str, float] = {}
    for key in both:
        before, after = raw.digests[key].reward, trained.digests[key].reward
        if before is not None and after is not None:
            moved[key] = after - before
    ranked = sorted(moved, key=lambda key: -moved[key])
    pick = random.Random(seed)

    def some(keys: Iterable[str], count: int) -> list[str]:
        pool = list(keys)
        return pick.sample(pool, min(count, len(pool)))

    def turned(*, right: bool) -> list[str]:
        return [
            key
            for key in both
            if (trained.digests[key].label == "correct") is right and (raw.digests[key].label == "correct") is not right
        ]

    by_group: dict[Group, list[str]] = {
        "improved": [key for key in ranked[:each] if moved[key] > 0],
        "worsened": [key for key in reversed(ranked[-each:] if each else []) if moved[key] < 0],
        "gained": some(turned(right=True), each),
        "lost": some(turned(right=False), each),
        "random": some(both, each + each // 2),
    }
    chosen: dict[str, tuple[Group, ...]] = {}
    for group, keys in by_group.items():
        for key in keys:
            chosen[key] = (*chosen.get(key, ()), group)
    return chosen


def read_pair(raw: Side, trained: Side, key: str, groups: Sequence[Group], scale: LevelScale) -> PairOfAnswers:
    """Read both rows of a question again and make them ready to be shown."""
    before, after = raw.digests[key], trained.digests[key]
    raw_row, trained_row = row_at(raw.path, before.offset), row_at(trained.path, after.offset)
    golds = [text_of(gold, limit=80) for gold in items(raw_row.get("answers"))]
    delta = None if before.reward is None or after.reward is None else after.reward - before.reward
    return PairOfAnswers(
        question=text_of(raw_row.get("question"), limit=400),
        answers=tuple(golds[:ANSWERS_SHOWN]),
        more_answers=max(0, len(golds) - ANSWERS_SHOWN),
        groups=tuple(groups),
        change="" if delta is None else change(delta, "reward"),
        raw=_answer(raw_row, before, scale),
        trained=_answer(trained_row, after, scale),
    )


def _answer(row: dict[str, Any], digest: Digest, scale: LevelScale) -> Answer:
    tokens = integer(row.get("tokens"))
    return Answer(
        label=digest.label,
        reward="" if digest.reward is None else points(digest.reward),
        tokens="" if tokens is None else text_of(tokens, limit=12),
        cut_off=row.get("cut_off") is True,
        malformed=row.get("well_formed") is False,
        excerpt=make_excerpt(row.get("completion"), row.get("sentences"), scale),
    )


def _label(row: dict[str, Any]) -> str:
    label = row.get("label")
    return label if isinstance(label, str) and label in LABELS else ""
