"""Constants of the published method, CorVer (arXiv 2605.29648), and of the authors' later release."""

import math

import pytest

from corver.config import LevelsConfig
from corver.reward.format import format_reward, length_penalty
from corver.reward.judge import judge
from corver.reward.levels import PAPER_LEVELS, RELEASE_LEVELS, Levels

GOOD = "<think>Poland's capital.</think> <answer>Warsaw</answer>"

# arXiv 2605.29648: count 0 | 1-4 | 5-19 | >= 20.
PAPER = [(0, 0, -0.3), (1, 1, -0.1), (4, 1, -0.1), (5, 2, 0.0), (19, 2, 0.0), (20, 3, 0.1), (10**9, 3, 0.1)]
RELEASE = [(0, 0, -0.2), (1, 1, -0.1), (4, 1, -0.1), (5, 2, 0.0), (19, 2, 0.0), (20, 3, 0.1), (10**9, 3, 0.1)]


@pytest.mark.parametrize(("levels", "table"), [(PAPER_LEVELS, PAPER), (RELEASE_LEVELS, RELEASE)])
def test_levels(levels: Levels, table: list[tuple[int, int, float]]) -> None:
    assert [(count, levels.level(count), levels.rewards[levels.level(count)]) for count, _, _ in table] == table
    assert levels.cap == 20
    assert levels.no_claim == 0.0


def test_the_configuration_holds_the_same_numbers() -> None:
    config = LevelsConfig()
    assert Levels(thresholds=config.thresholds, rewards=config.rewards) == PAPER_LEVELS


def test_judge_rewards() -> None:
    """arXiv 2605.29648, section 5: +2 correct, -1 wrong, -1 not attempted."""
    rewards = {
        answer: judgement.reward
        for answer in ("Warsaw", "Krakow", "I don't know", "")
        if (judgement := judge(f"<think>x</think><answer>{answer}</answer>", ["Warsaw"]))
    }
    assert rewards == {"Warsaw": 2.0, "Krakow": -1.0, "I don't know": -1.0, "": -1.0}


def test_format_rewards() -> None:
    """arXiv 2605.29648, section 5: +1 for the two blocks, else -1."""
    assert format_reward(GOOD) == 1.0
    assert format_reward(GOOD.replace("</answer>", "")) == -1.0


@pytest.mark.parametrize(("tokens", "penalty"), [(0, 0.0), (512, 0.0), (768, -0.25), (1024, -0.5)])
def test_length_term_of_the_later_release(tokens: int, penalty: float) -> None:
    value = length_penalty(tokens)
    assert value == penalty
    assert math.copysign(1, length_penalty(0)) == 1
