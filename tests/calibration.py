"""Labelled sets for the tests of calibration, made from counts of true and false sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corver.calibrate.labelled import LabelledSentence, LabelledSet


def sentence(
    identity: str, truth: bool, *, count: float | None, group: str | None = None, **more: Any
) -> LabelledSentence:
    level = None if count is None else sum(count >= edge for edge in (1, 5, 20))
    fields = {"status": "no_claim" if count is None else "supported", "count": count, "level": level}
    weight, stratum = more.pop("weight", 1.0), more.pop("stratum", None)
    return LabelledSentence(identity, truth, group or identity, {**fields, **more}, weight, stratum)


def set_of(items: Sequence[LabelledSentence], *, scorer: str | None = "abc") -> LabelledSet:
    return LabelledSet("set.csv", tuple(sorted(items, key=lambda item: item.id)), scorer, {})


def by_count(table: dict[int, tuple[int, int]], *, weight: dict[int, float] | None = None) -> LabelledSet:
    """count → (true, false) sentences. weight: for how many sentences each of a count stands."""
    return set_of(
        [
            sentence(f"{count:05d}-{number:05d}", number < true, count=count, weight=(weight or {}).get(count, 1.0))
            for count, (true, false) in table.items()
            for number in range(true + false)
        ]
    )
