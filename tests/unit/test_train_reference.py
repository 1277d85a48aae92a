"""The first policy's claims and the bonus: what is measured, when it is frozen, and what a checkpoint brings back."""

import json

import numpy as np
import pytest

from corver.config import CreditConfig
from corver.credit.returns import ClaimTotals
from corver.train.reference import Reference


def batch(*claims: float, reward: float = 0.0, spread: float = 0.1) -> ClaimTotals:
    """Completions of so many claims each, all of whose tokens are claims of mean `reward` and the given spread."""
    count = np.array(claims)
    share = (count > 0).astype(float)
    return ClaimTotals(share * reward, share * (reward**2 + spread**2), share, count)


def test_the_first_batches_are_measured_and_later_ones_are_not():
    found = Reference(CreditConfig(reference_batches=2))
    assert (found.reward, found.claims, found.bonus) == (None, None, 0.0)
    found.learn(batch(2, 4, reward=-0.2))
    found.learn(batch(0, 2, reward=0.1))
    assert found.claims == 2.0
    assert found.reward == pytest.approx(-0.1)
    found.learn(batch(9, 9, reward=1.0))
    assert (found.claims, found.reward) == (2.0, pytest.approx(-0.1))


def test_the_bonus_comes_when_claims_fall_and_goes_when_they_are_back():
    found = Reference(CreditConfig(reference_batches=1))
    found.learn(batch(2, 2))
    assert found.bonus == 0.0
    values = []
    for _ in range(6):
        found.learn(batch(1, 1))
        values.append(found.bonus)
    assert values == sorted(values)
    assert values[0] == pytest.approx(0.05)
    assert values[-1] == pytest.approx(0.1)
    for _ in range(20):
        found.learn(batch(2, 2))
    assert found.bonus < 0.01


@pytest.mark.parametrize("credit", [CreditConfig(claim_floor=None), CreditConfig(silence="paper")])
def test_no_floor_no_bonus(credit: CreditConfig):
    found = Reference(credit)
    found.learn(batch(4, 4))
    found.learn(batch(0, 0))
    assert found.bonus == 0.0


def test_a_checkpoint_brings_the_state_back():
    first, second = Reference(CreditConfig(reference_batches=1)), Reference(CreditConfig(reference_batches=1))
    first.learn(batch(3, 1, reward=0.1))
    second.restore(json.loads(json.dumps(first.state())))
    for one in (first, second):
        one.learn(batch(1, 1, reward=-0.3))
    assert second.state() == first.state()
    assert second.bonus == first.bonus > 0


@pytest.mark.parametrize("change", [{"seen": "x"}, {"reward": None}, {"claims": []}])
def test_a_state_that_is_none_is_refused(change: dict):
    state = Reference(CreditConfig()).state()
    with pytest.raises(TypeError):
        Reference(CreditConfig()).restore({**state, **change})
    with pytest.raises(KeyError):
        Reference(CreditConfig()).restore({"sum": 1})
