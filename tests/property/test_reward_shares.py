"""The map from unit scores to a reward: bounded, additive, and such that leaving a good detail out never pays."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corver.reward.association import chance, edges_within, kernel_sums, unit_scores
from corver.reward.shares import RewardScale

SCORES = st.lists(st.floats(-12, 12), min_size=1, max_size=12)
SCALE = RewardScale(neutral=-1.0)


@given(SCORES, st.data())
def test_shares_are_bounded_and_add_up(scores: list[float], data: st.DataObject) -> None:
    count = len(scores)
    weights = data.draw(st.lists(st.sampled_from([0.05, 0.3, 1.0]), min_size=count, max_size=count))
    chances = data.draw(st.lists(st.floats(-8, 0), min_size=count, max_size=count))
    shares = SCALE.shares(scores, weights, chances)
    assert len(shares) == count
    assert abs(sum(shares)) <= 1 + 1e-9
    for score, chance_score, share in zip(scores, chances, shares, strict=True):
        assert share * (score - SCALE.neutral) >= 0
        if score <= chance_score:
            assert share <= 0


@given(SCORES, st.floats(-8, 0))
def test_dropping_a_supported_detail_never_pays(scores: list[float], chance_score: float) -> None:
    def total(kept: list[float]) -> float:
        return sum(SCALE.shares(kept, [1.0] * len(kept), [chance_score] * len(kept)))

    for i, score in enumerate(scores):
        if score >= SCALE.neutral:
            assert total(scores[:i] + scores[i + 1 :]) <= total(scores) + 1e-9


@given(st.floats(-12, 12), st.floats(0, 1), st.floats(-8, 0))
def test_a_higher_score_is_never_worth_less(score: float, more: float, chance_score: float) -> None:
    assert SCALE.gain(score, chance_score) <= SCALE.gain(score + more, chance_score)


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
    expected = math.log((2.5 + 0.05 * math.sqrt(p)) / (4 + 0.5)) - 0.5 * math.log(p)
    assert np.allclose(unit_scores([2.5], [50], mentions=4, words=1_000_000, scale=100.0), [expected])


@given(st.lists(st.integers(0, 1800), max_size=30), st.sampled_from([30.0, 100.0, 300.0]), st.integers(0, 2500))
def test_binned_distances_give_the_kernel_but_for_the_width_of_a_bin(
    distances: list[int], scale: float, cut: int
) -> None:
    edges = edges_within(cut)
    assert list(edges) == sorted(set(edges))
    histogram = np.zeros((1, len(edges)))
    for distance in distances:
        if distance <= cut:
            histogram[0, next(e for e, edge in enumerate(edges) if distance <= edge)] += 1
    (sums,) = kernel_sums(histogram, edges=edges, scale=scale)
    exact = sum(math.exp(-distance / scale) for distance in distances if distance <= cut)
    # The widest bin for its distance, 31 to 50 words at scale 30, spans 0.17 of the kernel.
    assert abs(sums - exact) <= 0.12 * len(distances)
    assert sums <= histogram.sum() + 1e-9
