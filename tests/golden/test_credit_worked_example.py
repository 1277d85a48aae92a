"""The per-token return and advantage of arXiv 2605.29648 on two completions of unequal length, worked by hand.

Completion 1, right and well formed: R_resp = 2 + 1 = 3. Three tokens: a tag, then two of a sentence at +0.1.
    R = 3, 3.1, 3.1            m_1 = 9.2 / 3 = 46/15
Completion 2, wrong and well formed: R_resp = −1 + 1 = 0. Five tokens: a tag, two of a sentence at −0.3, a tag,
one of a sentence at +0.1.
    R = 0, −0.3, −0.3, 0, 0.1  m_2 = −0.5 / 5 = −1/10
Over the group: mean = (46/15 − 1/10) / 2 = 89/60; sample std = (46/15 + 1/10) / √2 = (19/6) / √2.
"""

import math

import numpy as np
import pytest

from corver.credit.advantage import AdvantageRule, advantage, completion_means, response_advantage
from corver.credit.returns import shaping
from corver.types import SentenceScore, Span, Status

PUBLISHED = AdvantageRule(std_floor=None, cap=None)
PADDED = 0.0


def verdict(reward: float) -> SentenceScore:
    status = Status.UNSUPPORTED if reward < 0 else Status.SUPPORTED
    return SentenceScore(Span(0, 1), "x", status, reward, count=0 if reward < 0 else 20)


@pytest.fixture
def example() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first = shaping([-1, 0, 0], [verdict(0.1)])
    second = shaping([-1, 0, 0, -1, 1], [verdict(-0.3), verdict(0.1)])
    shaping_BT = np.array([[*first, PADDED, PADDED], second])
    return np.array([3.0, 0.0]), shaping_BT, np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])


def test_completion_means_are_over_own_tokens(example):
    np.testing.assert_allclose(completion_means(*example), [46 / 15, -1 / 10], rtol=1e-15)


def test_advantages_by_hand(example):
    mean = 89 / 60
    scale = (19 / 6) / math.sqrt(2) + 1e-4
    by_hand = [
        [(3 - mean) / scale, (3.1 - mean) / scale, (3.1 - mean) / scale, 0, 0],
        [(0 - mean) / scale, (-0.3 - mean) / scale, (-0.3 - mean) / scale, (0 - mean) / scale, (0.1 - mean) / scale],
    ]
    np.testing.assert_allclose(advantage(*example, [0, 0], rule=PUBLISHED), by_hand, rtol=1e-14)


def test_a_false_sentence_is_pushed_below_its_neighbours(example):
    values = advantage(*example, [0, 0], rule=PUBLISHED)
    assert values[1, 1] < values[1, 0] < values[1, 4] < 0 < values[0, 0] < values[0, 1]


def test_no_sentence_weight_is_the_response_level_baseline_to_the_last_bit(example):
    response, _, mask = example
    without = np.stack([shaping([-1, 0, 0, 0, 0], [verdict(0.1)], weight=0.0)] * 2)
    expected = np.where(mask, response_advantage(response, [0, 0], rule=PUBLISHED)[:, None], 0.0)
    assert np.array_equal(advantage(response, without, mask, [0, 0], rule=PUBLISHED), expected)
