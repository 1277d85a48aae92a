"""Corrections of noisy verdicts: what they promise, computed exactly, and what takes the promise back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corver.credit.advantage import AdvantageRule, group_baseline, response_advantage
from corver.credit.noise import (
    NoiseRates,
    RunningScale,
    backward_reward,
    correction_effect,
    forward_weight,
    judge_advantage,
    leave_one_out,
    refuse_undone,
    within_group_std,
)
from corver.errors import CorrectionUndoneError, NoiseRatesError

RATES = (
    st.tuples(st.floats(0, 0.9), st.floats(0, 0.9))
    .filter(lambda pair: sum(pair) < 0.95)
    .map(lambda pair: NoiseRates(*pair))
)
VERDICTS = st.integers(1, 12).flatmap(lambda n: hnp.arrays(float, n, elements=st.sampled_from([0.0, 1.0, np.nan])))


def accepted_given(truth: float, rates: NoiseRates) -> float:
    return rates.false_positive if truth == 0 else 1 - rates.false_negative


@given(RATES, st.sampled_from([0.0, 1.0]))
def test_the_backward_reward_is_unbiased_given_the_truth(rates, truth):
    chance = accepted_given(truth, rates)
    rejected, accepted = backward_reward([0, 1], rates)
    assert chance * accepted + (1 - chance) * rejected == pytest.approx(truth, abs=1e-10)


@given(RATES)
def test_the_forward_weight_has_the_published_means(rates):
    rejected, accepted = forward_weight([0, 1], rates.false_negative)
    assert (rejected, accepted) == pytest.approx((rates.false_negative - 1, rates.false_negative))
    for truth, mean in ((1.0, 0.0), (0.0, -rates.informedness)):
        chance = accepted_given(truth, rates)
        assert chance * accepted + (1 - chance) * rejected == pytest.approx(mean, abs=1e-10)


class Policy:
    """Softmax over `words` answers of two tokens each, with shared logits: 9 answers, 6 parameters."""

    def __init__(self, seed: int, words: int = 3) -> None:
        rng = np.random.default_rng(seed)
        self.logits = rng.normal(size=(2, words))
        self.answers = list(itertools.product(range(words), repeat=2))
        self.truth = rng.integers(0, 2, len(self.answers)).astype(float)
        self.token = np.exp(self.logits) / np.exp(self.logits).sum(axis=1, keepdims=True)
        self.chance = np.array([self.token[0, a] * self.token[1, b] for a, b in self.answers])

    def score(self, answer: tuple[int, int]) -> np.ndarray:
        """∇ log π of an answer."""
        gradient = -self.token.copy()
        for place, word in enumerate(answer):
            gradient[place, word] += 1
        return gradient.ravel()

    def clean_gradient(self) -> np.ndarray:
        return sum(
            p * truth * self.score(answer)
            for p, truth, answer in zip(self.chance, self.truth, self.answers, strict=True)
        )

    def expected(self, correction: str, rates: NoiseRates, *, group: int = 2, finish=None) -> np.ndarray:
        """E[Σ A_i ∇ log π_i / group] over every group of answers and every pattern of verdicts."""
        total = np.zeros(self.logits.size)
        labels = np.zeros(group)
        for chosen in itertools.product(range(len(self.answers)), repeat=group):
            scores = np.array([self.score(self.answers[i]) for i in chosen])
            p_chosen = np.prod(self.chance[list(chosen)])
            for verdicts in itertools.product((0.0, 1.0), repeat=group):
                accepted = [accepted_given(self.truth[i], rates) for i in chosen]
                p = p_chosen * np.prod([a if v else 1 - a for a, v in zip(accepted, verdicts, strict=True)])
                values = judge_advantage(verdicts, labels, correction=correction, rates=rates)
                values = values if finish is None else finish(values)
                total += p * values @ scores / group
        return total


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rates", [NoiseRates(0.1, 0.2), NoiseRates(0.2, 0.3), NoiseRates(0.4, 0.5)])
def test_over_a_whole_softmax_policy_the_corrected_gradients_are_the_clean_one(seed, rates):
    policy = Policy(seed)
    clean = policy.clean_gradient()
    assert policy.expected("backward", rates) == pytest.approx(clean, abs=1e-10)
    assert policy.expected("forward", rates) == pytest.approx(rates.informedness * clean, abs=1e-10)
    # The matched control is the clean gradient too, only shorter: a leave-one-out baseline forgives symmetric noise.
    assert policy.expected("none", rates) == pytest.approx(rates.informedness * clean, abs=1e-10)


def test_with_rates_that_depend_on_the_answer_only_the_right_rates_give_the_clean_gradient():
    policy = Policy(1)
    low, high = NoiseRates(0.1, 0.05), NoiseRates(0.1, 0.45)
    kind = np.arange(len(policy.answers)) % 2
    own = NoiseRates(np.full(9, 0.1), np.where(kind, 0.45, 0.05))

    def expected(rates_of: NoiseRates) -> np.ndarray:
        total = np.zeros(policy.logits.size)
        for i, answer in enumerate(policy.answers):
            chance = accepted_given(policy.truth[i], high if kind[i] else low)
            for verdict, p in ((1.0, chance), (0.0, 1 - chance)):
                value = backward_reward(np.full(9, verdict), rates_of)[i]
                total += policy.chance[i] * p * value * policy.score(answer)
        return total

    clean = policy.clean_gradient()
    assert expected(own) == pytest.approx(clean, abs=1e-10)
    mean = expected(NoiseRates(0.1, 0.25))
    cosine = mean @ clean / np.linalg.norm(mean) / np.linalg.norm(clean)
    assert cosine < 0.999


def z_score(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    return response_advantage(values, group, rule=AdvantageRule(std_floor=None, cap=None, epsilon=1e-12))


def centre(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    return values - group_baseline(values, group, rule=AdvantageRule(scale="none")).mean_B


def batch_z_score(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std()


@given(RATES, hnp.arrays(float, 8, elements=st.sampled_from([0.0, 1.0])))
def test_a_z_score_a_group_turns_every_correction_into_the_uncorrected_run(rates, verdict):
    group = np.repeat([0, 1], 4)
    plain = z_score(verdict, group)
    for correction in ("backward", "forward"):
        corrected = judge_advantage(verdict, group, correction=correction, rates=rates)
        if all(np.ptp(verdict[group == g]) for g in (0, 1)):
            effect = correction_effect(z_score(corrected, group), plain, group)
            assert effect.undone
            assert effect.change < 1e-6


@pytest.mark.parametrize(
    ("finish", "undoes"),
    [(z_score, {"backward", "forward"}), (centre, {"forward"}), (batch_z_score, {"backward"}), (None, set())],
)
def test_stages_that_undo_a_correction_are_refused_by_name(finish, undoes):
    rates = NoiseRates(0.1, 0.2)
    for correction in ("backward", "forward", "none"):
        stage = finish or (lambda values, group: values)
        if correction in undoes:
            with pytest.raises(CorrectionUndoneError, match=r"my_stage .* the \w+ correction"):
                refuse_undone(stage, correction=correction, rates=rates, where="my_stage")
        else:
            refuse_undone(stage, correction=correction, rates=rates, where="my_stage")


@given(RATES, hnp.arrays(float, 8, elements=st.sampled_from([0.0, 1.0])))
def test_final_advantages_differ_from_the_control_wherever_there_is_noise(rates, verdict):
    group = np.repeat([0, 1], 4)
    plain = judge_advantage(verdict, group, correction="none", rates=rates)
    backward = correction_effect(
        judge_advantage(verdict, group, correction="backward", rates=rates), plain, group, tolerance=1e-9
    )
    assert backward.rescaled is None or backward.rescaled == pytest.approx(1 / rates.informedness)
    forward = judge_advantage(verdict, group, correction="forward", rates=rates)
    assert np.ptp(forward[verdict == 1]) == 0 if (verdict == 1).any() else True
    if rates.false_negative > 1e-3 and (verdict == 1).any():
        assert not correction_effect(forward, plain, group).undone


@given(VERDICTS, RATES, st.sampled_from(["none", "backward", "forward"]), st.randoms())
def test_completions_without_a_verdict_take_no_part(verdict, rates, correction, random):
    group = np.array([random.randrange(3) for _ in verdict])
    values = judge_advantage(verdict, group, correction=correction, rates=rates)
    known = np.isfinite(verdict)
    assert np.all(values[~known] == 0)
    assert np.array_equal(
        values[known], judge_advantage(verdict[known], group[known], correction=correction, rates=rates)
    )


def test_alone_in_its_group_only_the_forward_correction_has_something_to_say():
    rates = NoiseRates(0.1, 0.2)
    assert judge_advantage([1.0], [0], correction="backward", rates=rates) == pytest.approx([0.0])
    assert judge_advantage([1.0], [0], correction="none", rates=rates) == pytest.approx([0.0])
    assert judge_advantage([1.0, np.nan], [0, 0], correction="backward", rates=rates) == pytest.approx([0.0, 0.0])
    assert judge_advantage([1.0], [0], correction="forward", rates=rates, scale=0.5) == pytest.approx([0.4])


@given(hnp.arrays(float, 9, elements=st.floats(-3, 3)))
def test_leaving_one_out_is_the_mean_of_the_others(values):
    group = np.repeat([0, 1, 2], 3)
    expected = [np.mean([values[j] for j in range(9) if group[j] == group[i] and j != i]) for i in range(9)]
    assert leave_one_out(values, group) == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.6, 0.7), (-0.1, 0.1), (0.2, 1.2), (np.nan, 0.1)])
def test_rates_that_say_nothing_are_refused(rates):
    with pytest.raises(NoiseRatesError, match="ρ"):
        NoiseRates(*rates)


def test_one_completion_with_hopeless_rates_is_enough_to_refuse():
    with pytest.raises(NoiseRatesError, match=">= 1"):
        NoiseRates(np.array([0.1, 0.6]), np.array([0.2, 0.5]))


def test_rates_a_completion_and_verdicts_that_are_no_verdicts():
    rates = NoiseRates(np.array([0.1, 0.2]), np.array([0.0, 0.3]))
    assert backward_reward([1, 1], rates) == pytest.approx([1.0, 1.6])
    with pytest.raises(ValueError, match="0, 1 or NaN"):
        backward_reward([0.5], rates)
    with pytest.raises(ValueError, match="scale"):
        judge_advantage([1.0], [0], correction="forward", rates=NoiseRates(0, 0), scale=0.0)


def test_the_running_scale_moves_slowly_and_comes_back_from_a_checkpoint():
    scale = RunningScale(decay=0.9, floor=0.1)
    assert scale.value == 0.1
    assert scale.update(within_group_std([1, 0, 0, 1], [0, 0, 1, 1])) == pytest.approx(np.sqrt(0.5))
    assert scale.update(float("nan")) == pytest.approx(np.sqrt(0.5))
    moved = scale.update(1.0)
    assert moved == pytest.approx(np.sqrt((0.9 * 0.5 + 1) / 1.9))
    other = RunningScale(decay=0.9, floor=0.1)
    other.restore(scale.state())
    assert other.update(0.3) == scale.update(0.3)


def test_the_scale_of_a_batch_is_pooled_over_its_groups():
    assert within_group_std([1, 3, 5, np.nan, 7, 7], [0, 0, 1, 1, 2, 2]) == pytest.approx(1.0)
    assert np.isnan(within_group_std([1, np.nan], [0, 1]))
