"""Statistics with intervals: what a raw and a trained model did on the same questions.

In: evaluation rows (one a question, or several samples of each, together). Out: estimates with 95 % intervals, and
paired differences. Rates get Wilson intervals (Wilson 1927); means of sentences and differences get percentile
bootstrap intervals over questions, since the sentences of one completion hang together. This module knows no model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "compare", "paired_difference", "rate_estimate", "ratio_estimate", "summarize",
           "upper_limit_of_sum", "wilson"]  # fmt: skip

Floats = NDArray[np.float64]
Z95 = 1.959963984540054
BATCH = 256


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval; all NaN when there is nothing to estimate from."""

    value: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        pairs = (("value", self.value), ("low", self.low), ("high", self.high))
        return {name: number if math.isfinite(number) else None for name, number in pairs}

    @property
    def excludes_zero(self) -> bool:
        """True when the whole interval lies on one side of 0."""
        return self.low > 0 or self.high < 0


NOTHING = Estimate(math.nan, math.nan, math.nan)


def wilson(successes: float, trials: float) -> Estimate:
    """A rate with its Wilson score interval; fractions of a trial are those of an effective sample size."""
    if trials == 0:
        return NOTHING
    rate = successes / trials
    denominator = 1 + Z95**2 / trials
    centre = (rate + Z95**2 / (2 * trials)) / denominator
    half = Z95 / denominator * math.sqrt(rate * (1 - rate) / trials + Z95**2 / (4 * trials**2))
    return Estimate(rate, max(0.0, centre - half), min(1.0, centre + half))


def upper_limit_of_sum(first: Estimate, second: Estimate) -> float:
    """Upper 95 % limit of the sum of two independent estimates (Zou and Donner 2008, Statistics in Medicine 27)."""
    return first.value + second.value + math.hypot(first.high - first.value, second.high - second.value)


def ratio_estimate(sum_Q: Floats, count_Q: Floats, *, draws: int, seed: int) -> Estimate:
    """Σ sums / Σ counts over Q questions, with a bootstrap interval over questions."""
    if not count_Q.sum():
        return NOTHING
    values = _bootstrap_ratio(sum_Q, count_Q, draws=draws, seed=seed)
    return _percentile(float(sum_Q.sum() / count_Q.sum()), values)


def rate_estimate(sum_Q: Floats, count_Q: Floats, *, draws: int, seed: int) -> Estimate:
    """A rate over Q questions with several answers each: `ratio_estimate`, save where all answers are alike.

    No draw could differ then, and the bootstrap would be certain of what a few questions say; Wilson's interval with
    one trial a question is not.
    """
    total, asked = count_Q.sum(), int(np.count_nonzero(count_Q))
    if total and sum_Q.sum() in (0.0, total):
        return wilson(asked if sum_Q.sum() else 0, asked)
    return ratio_estimate(sum_Q, count_Q, draws=draws, seed=seed)


def paired_difference(
    before: tuple[Floats, Floats], after: tuple[Floats, Floats], *, draws: int, seed: int
) -> Estimate:
    """after − before of two ratios over the same Q questions; each draw takes the same questions for both."""
    if not before[1].sum() or not after[1].sum():
        return NOTHING
    old = _bootstrap_ratio(*before, draws=draws, seed=seed)
    new = _bootstrap_ratio(*after, draws=draws, seed=seed)
    value = float(after[0].sum() / after[1].sum() - before[0].sum() / before[1].sum())
    return _percentile(value, new - old)


def summarize(rows: Sequence[Mapping[str, Any]], *, draws: int = 10_000, seed: int = 42) -> dict[str, Estimate]:
    """The headline numbers of one model over its evaluation rows.

    With several samples a question, rates are means over questions of their samples' mean and get bootstrap intervals
    too (`rate_estimate`): the samples of a question hang together.
    """
    size = len(rows)
    table = _columns(rows)
    summary = {name: rate_estimate(*table[name], draws=draws, seed=seed) for name in _RATES}
    if len(table["accuracy"][0]) == size:
        summary = {name: wilson(int(table[name][0].sum()), size) for name in _RATES}
    for name in ("count_zero_share", "sentence_reward", "mean_length", "claims_per_completion"):
        summary[name] = ratio_estimate(*table[name], draws=draws, seed=seed)
    return summary


def compare(
    raw: Sequence[Mapping[str, Any]], trained: Sequence[Mapping[str, Any]], *, draws: int = 10_000, seed: int = 42
) -> dict[str, Estimate]:
    """Paired differences, trained − raw. The rows must answer the same questions in the same order."""
    if [row["id"] for row in raw] != [row["id"] for row in trained]:
        raise ValueError("the two models answered different questions")
    before, after = _columns(raw), _columns(trained)
    return {name: paired_difference(before[name], after[name], draws=draws, seed=seed) for name in before}


_RATES = ("accuracy", "not_attempted_rate", "format_rate")


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Floats, Floats]]:
    """(sum, count) a question for each quantity; claims are sentences with a corpus verdict, each claim once."""
    names = [row["id"] for row in rows]
    starts = [at for at, name in enumerate(names) if at == 0 or name != names[at - 1]]
    table = _row_columns(rows)
    if len(starts) == len(rows):
        return table
    return {
        name: (np.add.reduceat(sums, starts), np.add.reduceat(counts, starts)) for name, (sums, counts) in table.items()
    }


def _row_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Floats, Floats]]:
    """(sum, count) a row."""
    one = np.ones(len(rows))
    claims = [[s for s in row["sentences"] if _is_claim(s)] for row in rows]
    number = np.array([len(found) for found in claims], dtype=np.float64)
    rewards = np.array([sum(s["reward"] for s in found) for found in claims], dtype=np.float64)
    counts = [[s["count"] for s in found if s["count"] is not None] for found in claims]  # `profile` counts no pair
    zeros = np.array([row.count(0) for row in counts], dtype=np.float64)
    correct = np.array([row["label"] == "correct" for row in rows], dtype=np.float64)
    silent = np.array([row["label"] == "not_attempted" for row in rows], dtype=np.float64)
    formed = np.array([bool(row["well_formed"]) for row in rows], dtype=np.float64)
    length = np.array([row["tokens"] or 0 for row in rows], dtype=np.float64)
    counted = np.array([row["tokens"] is not None for row in rows], dtype=np.float64)
    return {
        "accuracy": (correct, one),
        "not_attempted_rate": (silent, one),
        "format_rate": (formed, one),
        "sentence_reward": (rewards, number),
        "count_zero_share": (zeros, np.array([len(row) for row in counts], dtype=np.float64)),
        "claims_per_completion": (number, one),
        "mean_length": (length, counted),
    }


def _is_claim(sentence: Mapping[str, Any]) -> bool:
    return sentence["status"] in ("supported", "unsupported") and not sentence.get("repeated")


def _bootstrap_ratio(sum_Q: Floats, count_Q: Floats, *, draws: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    size = sum_Q.size
    values = np.empty(draws)
    for start in range(0, draws, BATCH):
        pick = rng.integers(0, size, size=(min(BATCH, draws - start), size))
        counts = count_Q[pick].sum(axis=1)
        sums = sum_Q[pick].sum(axis=1)
        values[start : start + BATCH] = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return values


def _percentile(value: float, values: Floats) -> Estimate:
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return Estimate(value, float(low), float(high))
