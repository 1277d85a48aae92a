"""The map from unit scores to a reward: bounded, additive, and such that leaving a good detail out never pays."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corver.reward.association import chance, unit_scores
from corver.reward.shares import RewardScale

SCORES = st.lists(st.floats(-12, 12), min_size=1, max_size=12)
SCALE = RewardScale(neutral=-1.0)


@given(SCORES, st.data())
def test_shares_are_bounded_and_add_up(scores: list[float], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.sampled_from([0.3, 1.0]), min_size=len(scores), max_size=len(scores)))
    seen = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    for shares in (SCALE.shares(scores, weights), SCALE.shares(scores, weights, seen)):
        assert len(shares) == len(scores)
        assert abs(sum(shares)) <= 1 + 1e-9
        for score, share in zip(scores, shares, strict=True):
            assert share * (score - SCALE.neutral) >= 0


@given(SCORES)
def test_dropping_a_supported_detail_never_pays_and_repeating_never_adds(scores: list[float]) -> None:
    weights = [1.0] * len(scores)
    whole = sum(SCALE.shares(scores, weights))
    for i, score in enumerate(scores):
        if score >= SCALE.neutral:
            assert sum(SCALE.shares(scores[:i] + scores[i + 1 :], weights[1:])) <= whole + 1e-9
    assert sum(SCALE.shares(scores, weights, [True] * len(scores))) <= 1e-9


@given(st.floats(0, 200), st.integers(0, 10**6), st.integers(1, 200))
def test_scores_are_finite_and_rise_with_nearness(near: float, frequency: int, mentions: int) -> None:
    near = min(near, mentions)
    low, high = unit_scores([near / 2, near], [frequency] * 2, mentions=mentions, words=10**7, scale=100.0)
    assert math.isfinite(low)
    assert low <= high


@given(st.integers(0, 10**9))
def test_chance_is_a_probability(frequency: int) -> None:
    (p,) = chance([frequency], words=10**7, scale=100.0)
    assert 0 < p <= 1
    assert p <= chance([frequency + 1], words=10**7, scale=100.0)[0]


def test_the_formula_of_the_documentation_by_hand() -> None:
    p = 1 - math.exp(-2 * 100 * 50 / 1_000_000)
    expected = math.log((2.5 + 0.1 * math.sqrt(p)) / (4 + 0.5)) - 0.5 * math.log(p)
    assert np.allclose(unit_scores([2.5], [50], mentions=4, words=1_000_000, scale=100.0), [expected])
