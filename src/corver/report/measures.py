"""The headline of a run: raw and trained model side by side, the paired change, and what it means in plain words.

In: a run's summary. Out: rows of numbers with 95 % intervals, and verdicts. This module knows how to judge a change
(an interval that excludes 0; a fall by more than a fifth) but not how it was measured, and no HTML.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from corver.report.values import Kind, change, lookup, number, show

__all__ = ["MEASURES", "Interval", "Measure", "Outcome", "Row", "Verdict", "headline", "verdicts"]

Outcome: TypeAlias = Literal["good", "bad", "open", "warning"]

SHRINKAGE = 0.2
"""A fall of claims or length by more than this share of the raw model's value is warned of."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity of an evaluation. key: in summary.json. better: the direction that is welcome, if one is."""

    key: str
    title: str
    note: str
    kind: Kind
    better: Literal["up", "down", ""] = ""


MEASURES = (
    Measure("sentence_reward", "Sentence reward", "mean reward of a sentence that makes a claim", "reward", "up"),
    Measure("accuracy", "Accuracy", "answers that match an accepted answer", "share", "up"),
    Measure("count_zero_share", "Claims at count 0", "claims whose words never stand together", "share", "down"),
    Measure("not_attempted_rate", "Not attempted", "refusals and empty answers", "share"),
    Measure("format_rate", "Format", "completions with think and answer closed", "share", "up"),
    Measure("claims_per_completion", "Claims a completion", "sentences the corpus can speak to", "amount"),
    Measure("mean_length", "Length", "tokens a completion", "amount"),
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and its 95 % interval; each None when unknown."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, raw: Any) -> Interval:
        """Read {"value", "low", "high"}; a bare number has no interval; anything else is unknown."""
        if isinstance(raw, Mapping):
            return cls(number(raw.get("value")), number(raw.get("low")), number(raw.get("high")))
        return cls(number(raw))

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both ends of the interval, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of both models. difference: paired, trained minus raw; without bounds where only values are known."""

    measure: Measure
    raw: Interval
    trained: Interval
    difference: Interval

    @property
    def direction(self) -> Literal["up", "down", "flat", "unknown"]:
        """Where the measure went for certain: its interval excludes 0. `flat`: it includes 0."""
        bounds = self.difference.bounds
        if bounds is None:
            return "unknown"
        return "up" if bounds[0] > 0 else "down" if bounds[1] < 0 else "flat"

    @property
    def outcome(self) -> Outcome:
        """Whether the certain direction is the welcome one."""
        if self.direction not in ("up", "down") or not self.measure.better:
            return "open"
        return "good" if self.direction == self.measure.better else "bad"

    @property
    def relative(self) -> float | None:
        """Change as a share of the raw model's value; None without a positive value to compare with."""
        if self.raw.value is None or self.trained.value is None or self.raw.value <= 0:
            return None
        return self.trained.value / self.raw.value - 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """One finding in a plain sentence."""

    outcome: Outcome
    title: str
    text: str


def headline(summary: Mapping[str, Any]) -> list[Row]:
    """One row for each measure of which at least one side is known."""
    rows = []
    for measure in MEASURES:
        raw, trained = (Interval.of(lookup(summary, f"{side}.{measure.key}")) for side in ("raw", "trained"))
        if raw.value is None and trained.value is None:
            continue
        difference = Interval.of(lookup(summary, f"difference.{measure.key}"))
        if difference.value is None and raw.value is not None and trained.value is not None:
            difference = Interval(trained.value - raw.value)
        rows.append(Row(measure, raw, trained, difference))
    return rows


def verdicts(rows: list[Row]) -> list[Verdict]:
    """What a reader should take away, most important first."""
    by_key = {row.measure.key: row for row in rows}
    found = []
    reward = by_key.get("sentence_reward")
    found += [_moved(row) for row in (reward, by_key.get("accuracy")) if row is not None]
    sides = [by_key[key] for key in ("claims_per_completion", "mean_length") if key in by_key]
    fallen = [row for row in sides if row.relative is not None and row.relative < -SHRINKAGE]
    if fallen:
        gained = reward is not None and reward.outcome == "good"
        found.append(_shrunk(fallen, gained=gained))
    elif known := [row for row in sides if row.relative is not None]:
        what = " and ".join(f"{_name(row)} {_percent(row.relative or 0.0)}" for row in known)
        found.append(Verdict("good", "The model still speaks", f"Neither fell by more than a fifth: {what}."))
    return found


def _moved(row: Row) -> Verdict:
    kind, subject = row.measure.kind, row.measure.title
    sides = f"from {show(row.raw.value, kind)} to {show(row.trained.value, kind)}"
    unit = " points" if kind == "share" else ""
    by = f"{change(row.difference.value, kind)}{unit}"
    bounds = row.difference.bounds
    if bounds is None:
        text = f"{sides.capitalize()} ({by}); without an interval chance cannot be ruled out."
        return Verdict("open", f"{subject}: interval unknown", text)
    span = f"95 % interval {change(bounds[0], kind)} to {change(bounds[1], kind)}{unit}"
    if row.direction == "flat":
        return Verdict("open", f"{subject}: no clear change", f"{sides.capitalize()} ({by}; {span}, which includes 0).")
    verb = "rose" if row.direction == "up" else "fell"
    return Verdict(row.outcome, f"{subject} {verb}", f"{sides.capitalize()} ({by}; {span}, which excludes 0).")


def _shrunk(fallen: list[Row], *, gained: bool) -> Verdict:
    what = " and ".join(f"{_name(row)} {_percent(row.relative or 0.0)}" for row in fallen)
    fewer = any(row.measure.key == "claims_per_completion" for row in fallen)
    title = "Fewer claims" if fewer else "Shorter completions"
    if gained:
        title = "A gain that comes with fewer claims" if fewer else "A gain that comes with shorter completions"
    text = f"{what[0].upper()}{what[1:]}: more than a fifth. Saying less can raise a mean without more truth."
    return Verdict("warning", title, text)


def _name(row: Row) -> str:
    return "claims a completion" if row.measure.key == "claims_per_completion" else "mean length"


def _percent(relative: float) -> str:
    return f"{change(relative, 'share')}\N{NARROW NO-BREAK SPACE}%"
