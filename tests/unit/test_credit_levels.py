"""Rewards of levels that are right in the mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corver.credit.levels import level_means, unbiased_levels
from corver.credit.noise import NoiseRates, backward_reward
from corver.errors import NoiseRatesError

SHARES = hnp.arrays(float, 4, elements=st.floats(0.05, 1))
RATES = hnp.arrays(float, 4, elements=st.floats(0.02, 0.98)).filter(lambda eta: np.ptp(eta) > 0.05)


@given(SHARES, RATES, st.floats(0.05, 2), st.floats(-2, 0))
def test_true_and_false_sentences_are_paid_rightly_in_the_mean(share, eta, true, false):
    reward = unbiased_levels(share, eta, true=true, false=false)
    assert level_means(share, eta, reward) == pytest.approx((true, false), abs=1e-8)


@given(SHARES, RATES, hnp.arrays(float, 4, elements=st.floats(-1, 1)))
def test_no_other_unbiased_rewards_vary_less(share, eta, step):
    reward = unbiased_levels(share, eta)
    # A step that changes neither mean: project out both constraints.
    constraints = np.stack([share * eta, share * (1 - eta)])
    step = step - constraints.T @ np.linalg.lstsq(constraints @ constraints.T, constraints @ step, rcond=None)[0]
    other = reward + step
    assert level_means(share, eta, other) == pytest.approx(level_means(share, eta, reward), abs=1e-6)
    weight = share / share.sum()
    assert (weight * other**2).sum() >= (weight * reward**2).sum() - 1e-9


def test_two_levels_give_the_backward_correction():
    rates, base = NoiseRates(0.1, 0.3), 0.6
    accepted = base * 0.7 + (1 - base) * 0.1
    share = [1 - accepted, accepted]
    eta = [base * 0.3 / (1 - accepted), base * 0.7 / accepted]
    assert unbiased_levels(share, eta, true=1, false=0) == pytest.approx(backward_reward([0, 1], rates))


def test_the_published_calibration():
    """P(true) = 24 / 53 / 71 / 81 % at counts 0, 1–4, 5–19 and >= 20 (arXiv 2605.29648), levels equally frequent."""
    eta = [0.24, 0.53, 0.715, 0.81]
    paper = level_means(np.ones(4), eta, [-0.3, -0.1, 0.0, 0.1])
    assert paper == pytest.approx((-0.019, -0.150), abs=0.001)
    corrected = unbiased_levels(np.ones(4), eta)
    assert np.all(np.diff(corrected) > 0)
    assert corrected[0] < -0.3
    assert corrected[3] > 0.1


@pytest.mark.parametrize(("eta", "words"), [([0.5, 0.5], "the same at every level"), ([1.0, 1.0], "all true or all")])
def test_levels_that_tell_nothing_are_refused(eta, words):
    with pytest.raises(NoiseRatesError, match=words):
        unbiased_levels([0.5, 0.5], eta)


@pytest.mark.parametrize(("share", "eta"), [([1.0], [0.5, 0.2]), ([-1.0, 1], [0.1, 0.2]), ([1.0, 1], [0.1, 1.2])])
def test_what_is_no_share_or_rate_is_refused(share, eta):
    with pytest.raises(ValueError, match="shares"):
        unbiased_levels(share, eta)
