"""Statistics: Wilson and bootstrap intervals against scipy, printed values and data where the answer is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

from corver.evaluate.stats import (
    Estimate,
    compare,
    paired_difference,
    rate_estimate,
    ratio_estimate,
    summarize,
    wilson,
)


def test_wilson_golden_values() -> None:
    """Newcombe 1998, table I: Wilson score intervals without continuity correction."""
    golden = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (successes, trials), (low, high) in golden.items():
        estimate = wilson(successes, trials)
        assert estimate.value == successes / trials
        assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


@pytest.mark.parametrize("trials", [1, 2, 7, 160, 14267])
def test_wilson_equals_scipy(trials: int) -> None:
    for successes in {0, 1, trials // 3, trials - 1, trials}:
        interval = scipy_stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
        estimate = wilson(successes, trials)
        assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_of_nothing_there_is_no_estimate() -> None:
    nothing = [wilson(0, 0), ratio_estimate(np.zeros(3), np.zeros(3), draws=100, seed=1)]
    for estimate in nothing:
        assert math.isnan(estimate.value)
        assert estimate.to_json() == {"value": None, "low": None, "high": None}
        assert not estimate.excludes_zero


def test_the_bootstrap_of_a_mean_is_scipys() -> None:
    rng = np.random.default_rng(3)
    values = rng.gamma(2.0, size=80)
    own = ratio_estimate(values, np.ones(80), draws=20_000, seed=1)
    other = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert own.value == pytest.approx(values.mean())
    assert (own.low, own.high) == pytest.approx((other.low, other.high), abs=0.02)


def test_ratios_are_bootstrapped_over_questions_not_over_sentences() -> None:
    """Ten sentences a question that all agree hold no more than one: the interval is that of the question means."""
    rng = np.random.default_rng(4)
    means = rng.normal(size=60)
    one = ratio_estimate(means, np.ones(60), draws=4000, seed=1)
    ten = ratio_estimate(means * 10, np.full(60, 10.0), draws=4000, seed=1)
    assert (ten.value, ten.low, ten.high) == pytest.approx((one.value, one.low, one.high))


@pytest.mark.parametrize(("right", "expected"), [(0, wilson(0, 12)), (4, wilson(12, 12))])
def test_answers_that_are_all_alike_are_not_certain(right: int, expected: Estimate) -> None:
    four_Q = np.full(12, 4.0)
    assert rate_estimate(np.full(12, float(right)), four_Q, draws=100, seed=1) == expected
    mixed_Q = np.full(12, float(right))
    mixed_Q[0] = 2.0
    assert rate_estimate(mixed_Q, four_Q, draws=100, seed=1) == ratio_estimate(mixed_Q, four_Q, draws=100, seed=1)
    # A question without a trial is none of the twelve.
    none_Q = np.zeros(3)
    padded = rate_estimate(np.append(np.full(12, float(right)), none_Q), np.append(four_Q, none_Q), draws=100, seed=1)
    assert padded == expected


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for seed in range(200):
        counts = rng.integers(1, 5, size=100).astype(float)
        sums = np.array([rng.normal(0.3, 1.0, size=int(n)).sum() for n in counts])
        estimate = ratio_estimate(sums, counts, draws=300, seed=seed)
        hits += estimate.low <= 0.3 <= estimate.high
    assert 178 <= hits <= 199


def test_a_constant_difference_has_no_width_when_paired() -> None:
    rng = np.random.default_rng(6)
    counts = rng.integers(1, 6, size=50).astype(float)
    before = rng.normal(size=50) * counts
    estimate = paired_difference((before, counts), (before + 0.25 * counts, counts), draws=1000, seed=1)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.25, 0.25, 0.25))
    assert estimate.excludes_zero


def test_no_difference_includes_zero_and_direction_is_after_minus_before() -> None:
    rng = np.random.default_rng(7)
    one = np.ones(200)
    before, after = rng.normal(size=200), rng.normal(size=200)
    null = paired_difference((before, one), (after, one), draws=2000, seed=1)
    assert not null.excludes_zero
    assert null.value == pytest.approx(after.mean() - before.mean())
    worse = paired_difference((before, one), (before - 1 + 0.1 * after, one), draws=2000, seed=1)
    assert worse.high < 0


def test_paired_interval_of_a_mean_is_scipys() -> None:
    rng = np.random.default_rng(8)
    before = rng.normal(size=70)
    after = 0.5 * before + rng.normal(size=70) + 0.3
    own = paired_difference((before, np.ones(70)), (after, np.ones(70)), draws=20_000, seed=1)
    other = scipy_stats.bootstrap(
        (after - before,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert (own.low, own.high) == pytest.approx((other.low, other.high), abs=0.02)


def test_seeds_reproduce_and_questions_without_claims_count_for_nothing() -> None:
    sums, counts = np.array([0.2, -0.3, 0.0, 0.4]), np.array([2.0, 1.0, 0.0, 4.0])
    first = ratio_estimate(sums, counts, draws=500, seed=1)
    assert ratio_estimate(sums, counts, draws=500, seed=1) == first
    many = np.random.default_rng(9).normal(size=300)
    one, other = (ratio_estimate(many, np.ones(300), draws=500, seed=seed) for seed in (1, 2))
    assert (one.low, one.high) != (other.low, other.high)
    assert first.value == pytest.approx(0.3 / 7)
    assert math.isfinite(first.low)


def row(
    name: str, label: str, tokens: int, *sentences: tuple[str, float | None, int | None], formed: bool = True
) -> Any:
    return {
        "id": name,
        "label": label,
        "tokens": tokens,
        "well_formed": formed,
        "sentences": [{"status": status, "reward": reward, "count": count} for status, reward, count in sentences],
    }


RAW = [
    row("a", "correct", 10, ("supported", 0.1, 30), ("unsupported", -0.3, 0), ("no_claim", 0.0, None)),
    row("b", "wrong", 20, ("unsupported", -0.3, 0), ("failed", None, None), formed=False),
    row("c", "not_attempted", 5),
    row("d", "ungraded", 5, ("no_evidence", 0.0, None)),
]
TRAINED = [
    row("a", "correct", 12, ("supported", 0.1, 30)),
    row("b", "correct", 12, ("supported", 0.1, 20), ("supported", -0.1, 2)),
    row("c", "wrong", 12, ("supported", 0.0, 6)),
    row("d", "ungraded", 12),
]


def test_summary_by_hand() -> None:
    summary = summarize(RAW, draws=200, seed=1)
    values = {name: estimate.value for name, estimate in summary.items()}
    assert values == pytest.approx(
        {
            "accuracy": 0.25,
            "not_attempted_rate": 0.25,
            "format_rate": 0.75,
            "count_zero_share": 2 / 3,
            "sentence_reward": -0.5 / 3,
            "mean_length": 10.0,
            "claims_per_completion": 0.75,
        }
    )
    assert all(estimate.low <= estimate.value <= estimate.high for estimate in summary.values())


def test_claims_without_a_count_have_no_share_at_count_zero() -> None:
    profiled = [row("a", "correct", 10, ("supported", 0.2, None)), row("b", "wrong", 8, ("unsupported", -0.1, None))]
    found = summarize(profiled, draws=200, seed=1)
    assert found["claims_per_completion"].value == 1
    assert math.isnan(found["count_zero_share"].value)
    assert math.isnan(compare(profiled, profiled, draws=200, seed=1)["count_zero_share"].value)


def test_comparison_by_hand() -> None:
    difference = compare(RAW, TRAINED, draws=200, seed=1)
    values = {name: estimate.value for name, estimate in difference.items()}
    assert values == pytest.approx(
        {
            "accuracy": 0.25,
            "not_attempted_rate": -0.25,
            "format_rate": 0.25,
            "sentence_reward": 0.1 / 4 + 0.5 / 3,
            "count_zero_share": -2 / 3,
            "claims_per_completion": 0.25,
            "mean_length": 2.0,
        }
    )


def test_a_model_against_itself_differs_by_exactly_nothing() -> None:
    for estimate in compare(RAW, RAW, draws=200, seed=1).values():
        assert (estimate.value, estimate.low, estimate.high) == (0.0, 0.0, 0.0)


def test_comparing_other_questions_is_refused() -> None:
    for other in (TRAINED[:3], TRAINED[::-1]):
        with pytest.raises(ValueError, match="different questions"):
            compare(RAW, other)


def test_a_model_that_says_nothing_has_no_sentence_reward() -> None:
    silent = [row(name, "not_attempted", 1) for name in "abcd"]
    difference = compare(RAW, silent, draws=200, seed=1)
    assert math.isnan(difference["sentence_reward"].value)
    assert difference["claims_per_completion"].value == -0.75
    assert summarize(silent, draws=200)["sentence_reward"].to_json()["value"] is None


def test_repeated_claims_are_counted_once() -> None:
    repeated = row("a", "correct", 3, ("supported", 0.1, 30), ("supported", 0.0, 30))
    repeated["sentences"][1]["repeated"] = True
    summary = summarize([repeated], draws=100)
    assert summary["claims_per_completion"].value == 1.0
    assert summary["sentence_reward"].value == pytest.approx(0.1)


def test_excluding_zero() -> None:
    assert Estimate(1, 0.5, 2).excludes_zero
    assert Estimate(-1, -2, -0.5).excludes_zero
    assert not Estimate(1, 0.0, 2).excludes_zero
