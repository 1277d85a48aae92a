"""Appeals: inclusion probabilities, estimates of rates, and rewards that need no rates."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corver.credit.appeals import (
    AppealDraw,
    AppealPlan,
    RateEstimator,
    answered_share,
    appealed_reward,
    apply_flips,
    draw_appeals,
    inclusion_probability,
    rates_after_flips,
)
from corver.credit.noise import NoiseRates


def brute_force(wanted: list[float], budget: int) -> np.ndarray:
    """Inclusion probabilities by enumerating every set of drawn completions."""
    result = np.zeros(len(wanted))
    for drawn in itertools.product((0, 1), repeat=len(wanted)):
        p = np.prod([w if d else 1 - w for w, d in zip(wanted, drawn, strict=True)])
        size = sum(drawn)
        if size:
            result += p * min(1.0, budget / size) * np.array(drawn)
    return result


@given(st.lists(st.sampled_from([0.0, 0.1, 0.4, 1.0]), min_size=1, max_size=8), st.integers(0, 5))
def test_inclusion_probabilities_are_exact_under_a_budget(wanted, budget):
    assert inclusion_probability(wanted, budget) == pytest.approx(brute_force(wanted, budget), abs=1e-12)


def test_draws_keep_to_the_budget_and_are_taken_with_the_stated_probability():
    verdict = np.array([0.0] * 8 + [1.0] * 4 + [np.nan])
    plan = AppealPlan(q=0.4, q_accepted=0.2, budget=2)
    draws = [draw_appeals(verdict, plan, seed=3, batch=batch) for batch in range(4000)]
    assert max(draw.chosen_B.sum() for draw in draws) == 2
    assert np.mean([draw.chosen_B for draw in draws], axis=0) == pytest.approx(draws[0].inclusion_B, abs=0.03)
    assert draws[0].inclusion_B[-1] == 0


@given(hnp.arrays(float, 10, elements=st.sampled_from([0.0, 1.0])), st.integers(0, 99), st.integers(0, 99))
def test_draws_follow_from_seed_and_batch_alone(verdict, seed, batch):
    first = draw_appeals(verdict, AppealPlan(q=0.5), seed=seed, batch=batch)
    again = draw_appeals(verdict, AppealPlan(q=0.5), seed=seed, batch=batch)
    assert np.array_equal(first.chosen_B, again.chosen_B)


def test_nothing_is_appealed_where_there_is_nothing_to_judge():
    draw = draw_appeals([0, 0, 0], AppealPlan(q=1.0), seed=0, batch=0, appealable_B=[True, False, True])
    assert draw.chosen_B.tolist() == [True, False, True]
    assert draw.inclusion_B.tolist() == [1, 0, 1]


def world(rng: np.random.Generator, size: int, rates: NoiseRates, right: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    truth = (rng.random(size) < right).astype(float)
    accepted = np.where(truth == 1, 1 - rates.false_negative, rates.false_positive)
    return truth, (rng.random(size) < accepted).astype(float)


def estimated(batches: int, *, judge: NoiseRates | None = None, fail: float = 0.0, seed: int = 0, **options):
    """An estimator that has seen `batches` of 64 verdicts with (ρ0, ρ1) = (.1, .3)."""
    rng = np.random.default_rng(seed)
    rates = NoiseRates(0.1, 0.3)
    plan = AppealPlan(
        q=0.3, q_accepted=0.3 if options.get("with_accepted") else 0.0, budget=options.pop("budget", None)
    )
    estimator = RateEstimator(NoiseRates(0.1, 0.0), judge=judge, **options)
    for batch in range(batches):
        truth, verdict = world(rng, 64, rates)
        draw = draw_appeals(verdict, plan, seed=seed, batch=batch)
        said = truth if judge is None else world_judged(rng, truth, judge)
        decision = np.where(draw.chosen_B & (rng.random(64) >= fail), said, np.nan)
        estimator.update(verdict, decision, draw)
    return estimator


def world_judged(rng: np.random.Generator, truth: np.ndarray, judge: NoiseRates) -> np.ndarray:
    accepted = np.where(truth == 1, 1 - judge.false_negative, judge.false_positive)
    return (rng.random(truth.size) < accepted).astype(float)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"budget": 4},
        {"fail": 0.4},
        {"with_accepted": True},
        {"judge": NoiseRates(0.1, 0.15)},
        {"with_accepted": True, "judge": NoiseRates(0.1, 0.15)},
        {"average": "ratio"},
    ],
    ids=str,
)
def test_estimates_find_the_rates(options):
    estimator = estimated(600, decay=0.99, **dict(options))
    assert estimator.false_negative.value == pytest.approx(0.3, abs=0.05)
    assert estimator.false_positive.value == pytest.approx(0.1, abs=0.04)


def test_ignoring_the_better_judges_errors_would_bias_the_estimate():
    rng, estimator = np.random.default_rng(0), RateEstimator(NoiseRates(0.1, 0.0), decay=0.99)
    for batch in range(400):
        truth, verdict = world(rng, 64, NoiseRates(0.1, 0.3))
        draw = draw_appeals(verdict, AppealPlan(q=0.3), seed=1, batch=batch)
        decision = np.where(draw.chosen_B, world_judged(rng, truth, NoiseRates(0.2, 0.0)), np.nan)
        estimator.update(verdict, decision, draw)
    assert estimator.false_negative.value > 0.36


@pytest.mark.parametrize("options", [{}, {"with_accepted": True}, {"budget": 4}], ids=str)
def test_intervals_cover_the_rate(options):
    covered = wide = 0
    for seed in range(200):
        estimate = estimated(12, seed=seed, **dict(options)).false_negative
        covered += estimate.low <= 0.3 <= estimate.high
        wide += estimate.high - estimate.low < 0.6
    assert covered >= 180
    assert wide >= 150


def test_an_interval_without_any_flip_reaches_up_but_not_to_one():
    estimator = RateEstimator(NoiseRates(0.0, 0.0))
    draw = draw_appeals(np.zeros(20), AppealPlan(q=1.0), seed=0, batch=0)
    verdict = np.concatenate([np.zeros(20), np.ones(80)])
    draw = draw_appeals(verdict, AppealPlan(q=0.5), seed=0, batch=0)
    estimator.update(verdict, np.where(draw.chosen_B, 0.0, np.nan), draw)
    estimate = estimator.false_negative
    assert estimate.value == pytest.approx(0, abs=1e-6)
    assert estimate.low == 0
    assert 0.03 < estimate.high < 0.2


def test_a_batch_without_an_answer_teaches_nothing_and_the_given_rates_hold_until_then():
    estimator = RateEstimator(NoiseRates(0.05, 0.2))
    verdict = np.array([0.0, 0.0, 1.0])
    draw = AppealDraw(np.array([True, False, False]), np.array([0.1, 0.1, 0.0]))
    estimator.update(verdict, np.full(3, np.nan), draw)
    assert estimator.rates() == NoiseRates(0.05, 0.2)
    estimator.update(verdict, np.array([1.0, np.nan, np.nan]), draw)
    assert estimator.rates().false_negative > 0.5


def test_rates_of_a_bad_moment_are_shrunk_to_something_a_correction_can_use():
    estimator = RateEstimator(NoiseRates(0.3, 0.0))
    verdict = np.zeros(8)
    draw = draw_appeals(verdict, AppealPlan(q=1.0), seed=0, batch=0)
    estimator.update(verdict, np.ones(8), draw)
    assert estimator.false_negative.value > 0.99
    rates = estimator.rates()
    assert rates.false_positive + rates.false_negative == pytest.approx(0.95)


def test_a_state_goes_on_where_it_was_saved_and_a_foreign_one_is_refused():
    first, second = estimated(5), RateEstimator(NoiseRates(0.1, 0.0))
    second.restore(first.state())
    verdict, decision = np.array([0.0, 0, 1, 1]), np.array([1.0, 0, np.nan, np.nan])
    draw = AppealDraw(np.array([True, True, False, False]), np.array([0.5, 0.5, 0, 0]))
    for estimator in (first, second):
        estimator.update(verdict, decision, draw)
    assert first.false_negative == second.false_negative
    assert first.right_given() == second.right_given()
    with pytest.raises(ValueError, match="another shape"):
        second.restore(first.state() | {"total": [1.0]})


@given(st.floats(0, 0.4), st.floats(0, 0.4), st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.3), st.floats(0, 0.3))
def test_rates_after_flips_are_those_of_the_enumerated_channel(rho0, rho1, rejected, accepted, wrongly, missing):
    rates, judge = NoiseRates(rho0, rho1), NoiseRates(wrongly, missing)
    found = rates_after_flips(rates, rejected=rejected, accepted=accepted, judge=judge)
    for truth in (0, 1):
        says_right = 1 - missing if truth else wrongly
        final = 0.0
        for verdict in (0, 1):
            p = (1 - rho1 if verdict else rho1) if truth else (rho0 if verdict else 1 - rho0)
            asked = accepted if verdict else rejected
            final += p * (asked * says_right + (1 - asked) * verdict)
        assert final == pytest.approx(1 - found.false_negative if truth else found.false_positive, abs=1e-12)


@given(st.floats(0, 1), st.sampled_from([0.0, 1.0]), st.floats(0.05, 1), st.floats(-1, 2))
def test_the_appealed_reward_is_unbiased_for_any_guess(chance, truth, inclusion, guess):
    mean = 0.0
    for verdict, p in ((1.0, chance), (0.0, 1 - chance)):
        for decision, asked in ((truth, inclusion), (np.nan, 1 - inclusion)):
            mean += p * asked * appealed_reward([verdict], [decision], [inclusion], [guess])[0]
    assert mean == pytest.approx(truth, abs=1e-9)


def test_flips_change_only_what_was_decided():
    assert apply_flips([0, 0, 1, np.nan], [1, np.nan, 0, 1]).tolist()[:3] == [1, 0, 0]
    assert np.isnan(apply_flips([np.nan], [1.0])[0])


def test_the_share_of_answers():
    draw = AppealDraw(np.array([True, True, False, True]), np.full(4, 0.5))
    decision = np.array([1.0, np.nan, np.nan, 0.0])
    assert answered_share([0, 0, 0, 1], decision, draw, of=0) == 0.5
    assert answered_share([0, 0, 0, 1], decision, draw, of=1) == 1.0
    assert answered_share([0, 0, 0, 0], decision, AppealDraw(np.zeros(4, bool), np.zeros(4)), of=0) == 1.0


@pytest.mark.parametrize("wrong", [{"q": 1.2}, {"q_accepted": -0.1}, {"budget": -1}])
def test_plans_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match="appeal"):
        AppealPlan(**wrong)
