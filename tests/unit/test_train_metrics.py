"""Metrics of a batch: what one process has is put together with what the others have, or left out."""

from __future__ import annotations

import math

import numpy as np

from corver.credit.advantage import AdvantageReport
from corver.train.metrics import Metric, batch_metrics
from corver.types import Rollout, SentenceScore, Span, Status, Unit


def over(metric: Metric, *pairs: tuple[float, float]) -> float | None:
    sums, weights = np.array(pairs, dtype=np.float64).T
    return metric.together(sums, weights)


def test_means_are_weighted_over_processes_and_maxima_are_not() -> None:
    assert over(Metric(1.0, 2.0), (1.0, 2.0), (5.0, 4.0)) == 1.0
    assert over(Metric(1.0, 2.0), (1.0, 2.0), (0.0, 0.0)) == 0.5
    assert over(Metric(1.0, largest=True), (1.0, 1.0), (-3.0, 1.0)) == 1.0


def test_a_mean_of_nothing_is_no_number_or_is_left_out() -> None:
    value = over(Metric(0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    assert value is not None
    assert math.isnan(value)
    assert over(Metric(0.0, 0.0, optional=True), (0.0, 0.0), (0.0, 0.0)) is None
    assert over(Metric(0.0, 0.0, optional=True), (0.0, 0.0), (1.0, 4.0)) == 0.25


def test_only_what_may_not_exist_is_left_out() -> None:
    """Without a claim or a sentence the same names are logged as ever; details are for supports that read them."""
    nothing = measured([])
    assert {name for name, metric in nothing.items() if over(metric, (metric.sum, metric.weight)) is None} == {
        "repeated_detail_share"
    }
    assert {name for name, metric in nothing.items() if metric.largest} == {"advantage_max"}
    units = tuple(Unit("u", Span(0, 1), 1.0, 0.5, 0.25, repeated=n == 0) for n in range(4))
    read = measured([SentenceScore(Span(0, 1), "A", Status.SUPPORTED, 0.1, units=units)])
    assert over(read["repeated_detail_share"], (1.0, 4.0)) == 0.25
    assert (read["repeated_detail_share"].sum, read["repeated_detail_share"].weight) == (1.0, 4.0)


def measured(scores: list[SentenceScore]) -> dict[str, Metric]:
    report = AdvantageReport(floored=0.0, capped=0.0, largest=1.5)
    return batch_metrics([Rollout("A")], [scores], [np.zeros(0)], report, seconds=1.0, scoring=0.5)
