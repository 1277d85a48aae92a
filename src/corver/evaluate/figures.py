"""The figures of one evaluation: rates, Pass@k, and accuracy by the popularity of what was asked about.

In: evaluation rows and their questions. Out: estimates with intervals, and the JSON of them. This module knows no
model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corver.evaluate.passk import default_ks, mean_pass_at_k
from corver.evaluate.questions import Question
from corver.evaluate.stats import Estimate, rate_estimate, summarize, wilson

__all__ = ["Figures", "PopularityBand", "evaluation_figures"]

BANDS = 4
"""Quartiles, as the paper reports PopQA (arXiv 2605.29648)."""


@dataclass(frozen=True, slots=True)
class PopularityBand:
    """A part of the questions by popularity: the least and the greatest in it, how many, and their accuracy."""

    low: float
    high: float
    questions: int
    accuracy: Estimate

    def to_json(self) -> dict[str, Any]:
        return {
            "low": self.low,
            "high": self.high,
            "questions": self.questions,
            "accuracy": self.accuracy.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """summary: the quantities of `summarize`, and `accuracy_attempted`, the right ones among the answers that attempt
    one. pass_at: by k, empty for a single sample. popularity: least popular first, empty where it is not known."""

    questions: int
    samples: int
    summary: dict[str, Estimate]
    pass_at: dict[int, Estimate] = field(default_factory=dict)
    popularity: tuple[PopularityBand, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "samples": self.samples,
            "summary": {name: estimate.to_json() for name, estimate in self.summary.items()},
            "pass_at": {str(k): estimate.to_json() for k, estimate in self.pass_at.items()},
            "popularity": [band.to_json() for band in self.popularity],
        }


def evaluation_figures(
    rows: Sequence[Mapping[str, Any]],
    questions: Sequence[Question],
    *,
    samples: int = 1,
    ks: Sequence[int] = (),
    draws: int = 10_000,
    seed: int = 42,
) -> Figures:
    """Figures over rows that `collect_answers` returned; questions without rows count nowhere.

    ks: for Pass@k; by default 1, 2, 4 … and the number of samples. Sentence figures are left out when no row has
    scored sentences.
    """
    summary = summarize(rows, draws=draws, seed=seed)
    if not any(row["sentences"] for row in rows):
        for name in ("sentence_reward", "count_zero_share", "claims_per_completion"):
            del summary[name]
    correct: dict[str, int] = {}
    attempted: dict[str, int] = {}
    for row in rows:
        correct[row["id"]] = correct.get(row["id"], 0) + (row["label"] == "correct")
        attempted[row["id"]] = attempted.get(row["id"], 0) + (row["label"] in ("correct", "wrong"))
    summary["accuracy_attempted"] = _share(list(correct.values()), list(attempted.values()), samples, draws, seed)
    pass_at = {}
    if samples > 1:
        pass_at = mean_pass_at_k(list(correct.values()), samples, ks or default_ks(samples), draws=draws, seed=seed)
    bands = _bands(correct, questions, samples, draws, seed)
    return Figures(len(correct), samples, summary, pass_at, bands)


def _share(correct_Q: Sequence[int], of_Q: Sequence[int], samples: int, draws: int, seed: int) -> Estimate:
    """Σ correct / Σ of; the interval is Wilson's for single answers and a bootstrap over questions for several."""
    if samples == 1:
        return wilson(sum(correct_Q), sum(of_Q))
    sums, counts = np.array(correct_Q, dtype=np.float64), np.array(of_Q, dtype=np.float64)
    return rate_estimate(sums, counts, draws=draws, seed=seed)


def _bands(
    correct: Mapping[str, int], questions: Sequence[Question], samples: int, draws: int, seed: int
) -> tuple[PopularityBand, ...]:
    """Bands of as equal size as can be, over the answered questions whose popularity is known."""
    known = sorted(
        (question.popularity, question.id)
        for question in questions
        if question.popularity is not None and question.id in correct
    )
    if len(known) < BANDS:
        return ()
    bands = []
    for band in range(BANDS):
        part = known[band * len(known) // BANDS : (band + 1) * len(known) // BANDS]
        right = [correct[name] for _, name in part]
        accuracy = _share(right, [samples] * len(part), samples, draws, seed)
        bands.append(PopularityBand(part[0][0], part[-1][0], len(part), accuracy))
    return tuple(bands)
