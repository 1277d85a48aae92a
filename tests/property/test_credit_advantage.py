"""Laws of the advantage that hold for any rewards, masks and groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corver.credit.advantage import AdvantageRule, advantage, completion_means, group_baseline, response_advantage

PUBLISHED = AdvantageRule(std_floor=None, cap=None)
RULES = st.builds(
    AdvantageRule,
    scale=st.sampled_from(["group", "batch", "none"]),
    std_floor=st.sampled_from([None, 0.1]),
    cap=st.sampled_from([None, 10.0]),
)


@st.composite
def batches(draw, *, failures: bool = False):
    groups, size, tokens = draw(st.integers(1, 3)), draw(st.integers(2, 4)), draw(st.integers(1, 6))
    rows = groups * size
    number = st.floats(-3, 3, width=32).map(lambda x: round(x, 3))
    response = draw(hnp.arrays(float, rows, elements=number))
    shaping = draw(hnp.arrays(float, (rows, tokens), elements=st.sampled_from([-0.3, -0.1, 0.0, 0.1])))
    lengths = draw(hnp.arrays(int, rows, elements=st.integers(1, tokens)))
    mask = (np.arange(tokens)[None, :] < lengths[:, None]).astype(int)
    if failures:
        response[draw(hnp.arrays(bool, rows))] = np.nan
        shaping[draw(hnp.arrays(bool, (rows, tokens)))] = np.nan
    return response, shaping, mask, np.repeat(np.arange(groups), size)


@given(batches(), RULES)
def test_without_sentence_rewards_it_equals_the_response_baseline_bit_for_bit(batch, rule):
    response, shaping, mask, group = batch
    expected = np.where(mask, response_advantage(response, group, rule=rule)[:, None], 0.0)
    assert np.array_equal(advantage(response, np.zeros_like(shaping), mask, group, rule=rule), expected)


@given(batches(failures=True), RULES)
def test_always_finite_and_zero_off_the_mask(batch, rule):
    response, shaping, mask, _ = batch
    values = advantage(*batch, rule=rule)
    assert np.isfinite(values).all()
    unscored = (mask == 0) | np.isnan(shaping) | np.isnan(response)[:, None]
    assert (values[unscored] == 0).all()
    if rule.cap is not None:
        assert np.abs(values).max() <= rule.cap


@given(batches(), st.floats(-5, 5), RULES)
def test_a_reward_added_to_all_changes_nothing(batch, shift, rule):
    response, shaping, mask, group = batch
    np.testing.assert_allclose(
        advantage(response + shift, shaping, mask, group, rule=rule),
        advantage(*batch, rule=rule),
        # Where a group's std is almost 0, rounding of the shift is divided by epsilon.
        atol=1e-9,
    )


@given(batches(), st.randoms())
def test_the_order_of_a_group_does_not_matter(batch, random):
    response, shaping, mask, group = batch
    order = np.array(random.sample(range(len(response)), len(response)))
    moved = advantage(response[order], shaping[order], mask[order], group[order], rule=PUBLISHED)
    np.testing.assert_allclose(moved, advantage(*batch, rule=PUBLISHED)[order], atol=1e-9)


@given(batches(failures=True), st.integers(1, 4), RULES)
def test_padding_changes_nothing(batch, columns, rule):
    response, shaping, mask, group = batch
    wide = np.pad(shaping, ((0, 0), (0, columns)), constant_values=7.0)
    values = advantage(response, wide, np.pad(mask, ((0, 0), (0, columns))), group, rule=rule)
    tokens = shaping.shape[1]
    # Wider rows are summed in another order; where a group's std is almost 0, that is divided by epsilon.
    np.testing.assert_allclose(values[:, :tokens], advantage(*batch, rule=rule), atol=1e-9)
    assert (values[:, tokens:] == 0).all()


@given(batches())
def test_group_means_are_centred(batch):
    _, _, mask, group = batch
    values = advantage(*batch, rule=AdvantageRule(scale="none", std_floor=None, cap=None))
    lengths = mask.sum(axis=1)
    means = values.sum(axis=1) / lengths
    for number in np.unique(group):
        assert abs(means[group == number].mean()) < 1e-9


@given(batches())
def test_an_unscored_completion_leaves_its_group_as_if_it_were_not_there(batch):
    response, shaping, mask, group = batch
    response = response.copy()
    response[0] = np.nan
    alone = advantage(response[1:], shaping[1:], mask[1:], group[1:], rule=PUBLISHED)
    assert np.array_equal(advantage(response, shaping, mask, group, rule=PUBLISHED)[1:], alone)


def test_an_empty_completion_gets_nothing_and_leaves_peers_alone():
    shaping, mask = np.zeros((3, 2)), np.array([[0, 0], [1, 1], [1, 0]])
    values = advantage([5.0, 1.0, -1.0], shaping, mask, [0, 0, 0], rule=PUBLISHED)
    assert (values[0] == 0).all()
    np.testing.assert_allclose(values[1, 0], 1 / (np.sqrt(2) + 1e-4))


def test_equal_means_explode_under_the_published_rule_and_not_under_the_default():
    shaping, mask = np.array([[0.1, -0.1], [0.0, 0.0]]), np.ones((2, 2))
    assert np.abs(advantage([1.0, 1.0], shaping, mask, [0, 0], rule=PUBLISHED)).max() == pytest.approx(1000)
    assert np.abs(advantage([1.0, 1.0], shaping, mask, [0, 0])).max() == pytest.approx(0.1 / 0.1001)


def test_group_statistics_do_not_depend_on_how_a_group_is_split_over_processes():
    response = np.array([1.0, 2.0, 0.0, 5.0])
    shaping, mask, group = np.zeros((4, 1)), np.ones((4, 1)), np.zeros(4)
    parts = [completion_means(response[half], shaping[half], mask[half]) for half in (slice(0, 2), slice(2, 4))]
    gathered = group_baseline(np.concatenate(parts), group, rule=PUBLISHED)
    whole = group_baseline(completion_means(response, shaping, mask), group, rule=PUBLISHED)
    assert np.array_equal(gathered.mean_B, whole.mean_B)
    assert np.array_equal(gathered.scale_B, whole.scale_B)


@pytest.mark.parametrize(
    ("response", "shaping", "mask"),
    [([1.0], np.zeros((2, 3)), np.ones((2, 3))), ([1.0, 2.0], np.zeros((2, 3)), np.ones((2, 2)))],
)
def test_shapes_that_do_not_fit_are_refused(response, shaping, mask):
    with pytest.raises(ValueError, match="do not fit"):
        advantage(response, shaping, mask, [0] * len(response))


def test_an_infinite_reward_is_refused():
    with pytest.raises(ValueError, match="infinite"):
        advantage([np.inf, 0.0], np.zeros((2, 1)), np.ones((2, 1)), [0, 0])
