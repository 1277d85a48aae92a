"""Shaping: what each token gets for its sentence, and why silence never pays."""

import math

import numpy as np
import pytest

from corver.credit.advantage import advantage
from corver.credit.returns import claim_bonus, claim_totals, shaping, silence_values
from corver.types import SentenceScore, Span, Status


def score(status: Status, reward: float) -> SentenceScore:
    return SentenceScore(Span(0, 1), "x", status, reward)


GOOD = score(Status.SUPPORTED, 0.1)
BAD = score(Status.UNSUPPORTED, -0.3)
SILENT = score(Status.NO_CLAIM, 0.0)
FAILED = score(Status.FAILED, math.nan)


def test_tokens_get_the_reward_of_their_own_sentence_and_tags_get_none():
    assert shaping([-1, 0, 0, -1, 1], [GOOD, BAD]).tolist() == [0, 0.1, 0.1, 0, -0.3]


def test_weight_scales_and_zero_weight_asks_nothing():
    np.testing.assert_allclose(shaping([0, 1], [GOOD, BAD], weight=2.0), [0.2, -0.6])
    assert shaping([0, 1], [GOOD, FAILED], weight=0.0).tolist() == [0.0, 0.0]


def test_a_failed_sentence_is_nan_and_never_a_number():
    values = shaping([0, 1], [FAILED, GOOD])
    assert np.isnan(values[0])
    assert values[1] == 0.1
    even = shaping([0, 1, -1], [FAILED, GOOD], alignment="response")
    assert np.isnan(even[0])
    np.testing.assert_allclose(even[1:], [0.05, 0.05])


def test_response_alignment_keeps_the_total():
    own = shaping([-1, 0, 0, 1], [GOOD, BAD])
    even = shaping([-1, 0, 0, 1], [GOOD, BAD], alignment="response")
    np.testing.assert_allclose(even, np.full(4, own.sum() / 4))


def test_a_sentence_number_without_a_verdict_is_refused():
    with pytest.raises(ValueError, match="names sentence 1"):
        shaping([0, 1], [GOOD])


def test_what_claims_bring_to_a_completions_mean_is_counted_in_its_own_tokens():
    sentence = [[-1, 0, 0, 1], [0, 0, -1, 1], [0], []]
    totals = claim_totals(sentence, [[GOOD, BAD], [BAD, SILENT], [GOOD], []])
    np.testing.assert_allclose(totals.share_B, [3 / 4, 2 / 4, 1, 0])
    np.testing.assert_allclose(totals.reward_B, [-0.1 / 4, -0.6 / 4, 0.1, 0])


def test_masked_and_failed_tokens_count_nowhere():
    totals = claim_totals([[0, 0, 1, 1, 2]], [[GOOD, FAILED, BAD]], [[1, 1, 1, 1, 0, 0]])
    np.testing.assert_allclose((totals.share_B[0], totals.reward_B[0]), (1.0, 0.1))


def test_silence_is_worth_the_mean_claim_of_its_group():
    totals = claim_totals([[0, 0], [0, -1], [0], []], [[GOOD], [BAD], [GOOD], []])
    values = silence_values(totals, [0, 0, 1, 1], policy="neutral", reference=-0.2)
    v = (0.1 - 0.3 / 2) / 1.5
    np.testing.assert_allclose(values, [v, v, 0.1, 0.1])


def test_the_first_policys_mean_claim_is_an_option_and_the_value_of_a_group_without_claims():
    totals = claim_totals([[0], [0]], [[GOOD], [GOOD]])
    np.testing.assert_allclose(silence_values(totals, [0, 0], policy="first_policy", reference=-0.2), [-0.2, -0.2])
    np.testing.assert_allclose(silence_values(totals, [0, 0], policy="first_policy"), [0.0, 0.0])
    nothing = claim_totals([[0], []], [[SILENT], []])
    np.testing.assert_allclose(silence_values(nothing, [0, 0], policy="neutral", reference=-0.2), [-0.2, -0.2])


def test_the_published_rule_stays_selectable():
    totals = claim_totals([[0], [0]], [[BAD], [BAD]])
    assert silence_values(totals, [0, 0], policy="paper", reference=-0.2).tolist() == [0.0, 0.0]


def test_silence_beats_an_average_claim_under_the_published_rule_and_not_under_the_neutral_one():
    scores = [[BAD], [BAD], [GOOD], [SILENT]]
    group, mask = np.zeros(4), np.ones((4, 1))
    means = {}
    for policy in ("paper", "neutral"):
        silence = silence_values(claim_totals([[0]] * 4, scores), group, policy=policy)
        rows = np.stack([shaping([0], row, silence=value) for row, value in zip(scores, silence, strict=True)])
        means[policy] = advantage(np.zeros(4), rows, mask, group)[:, 0]
    assert means["paper"][3] > means["paper"][:3].mean()
    assert means["neutral"][3] == pytest.approx(means["neutral"][:3].mean())
    assert means["neutral"][2] > means["neutral"][3] > means["neutral"][0]


def test_a_repeated_claim_is_worth_what_silence_is_and_less_only_where_it_is_false():
    again = SentenceScore(Span(0, 1), "x", Status.SUPPORTED, 0.0, repeated=True)
    false_again = SentenceScore(Span(0, 1), "x", Status.UNSUPPORTED, -0.3, repeated=True)
    values = shaping([0, 1, 2], [GOOD, again, false_again], silence=-0.2)
    np.testing.assert_allclose(values, [0.3, 0.0, -0.1])
    np.testing.assert_allclose(shaping([0, 1, 2], [GOOD, again, false_again], silence=0.05), [0.05, 0.0, -0.3])
    np.testing.assert_allclose(claim_totals([[0, 1, 2]], [[GOOD, again, false_again]]).share_B, [1 / 3])


def test_the_bonus_grows_with_the_claims_that_are_missing_and_stops_at_one_spread():
    assert claim_bonus(2.0, 2.0, 0.1) == claim_bonus(3.0, 2.0, 0.1) == 0.0
    assert claim_bonus(1.8, 2.0, 0.1) == pytest.approx(0.05)
    assert [claim_bonus(claims, 2.0, 0.1) for claims in (1.6, 0.0)] == pytest.approx([0.1, 0.1])
    assert claim_bonus(1.0, 2.0, 0.1, floor=0.5) == 0.0
    assert claim_bonus(1.0, 0.0, 0.1) == 0.0


@pytest.mark.parametrize(("policy", "lower"), [("neutral", 0.05), ("first_policy", 0.05), ("paper", 0.0)])
def test_a_bonus_makes_silence_worth_less_but_not_under_the_published_rule(policy, lower):
    totals = claim_totals([[0], [0]], [[GOOD], [BAD]])
    without = silence_values(totals, [0, 0], policy=policy, reference=-0.1)
    np.testing.assert_allclose(
        silence_values(totals, [0, 0], policy=policy, reference=-0.1, bonus=0.05), without - lower
    )
