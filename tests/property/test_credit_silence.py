"""What the neutral value of silence is for: the claims of a group add nothing to its mean return."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corver.credit.advantage import completion_means
from corver.credit.returns import claim_totals, shaping, silence_values
from corver.types import SentenceScore, Span, Status

CLAIMS = st.builds(
    lambda reward: SentenceScore(Span(0, 1), "x", Status.SUPPORTED, reward), st.floats(-1, 1, allow_nan=False)
)
OTHERS = st.sampled_from(
    [
        SentenceScore(Span(0, 1), "x", Status.NO_CLAIM, 0.0),
        SentenceScore(Span(0, 1), "x", Status.FAILED, float("nan")),
    ]
)


@st.composite
def completions(draw: st.DrawFn, tokens: int = 12) -> tuple[list[int], list[SentenceScore], list[int]]:
    """σ(t), verdicts and mask of one completion."""
    scores = draw(st.lists(st.one_of(CLAIMS, OTHERS), max_size=4))
    sentence = draw(st.lists(st.integers(-1, len(scores) - 1), min_size=tokens, max_size=tokens))
    length = draw(st.integers(0, tokens))
    return sentence, scores, [1] * length + [0] * (tokens - length)


@given(rows=st.lists(completions(), min_size=1, max_size=8), weight=st.floats(0.1, 10), data=st.data())
def test_claims_add_nothing_to_the_mean_of_the_completion_means(rows, weight, data) -> None:
    sentence_B, scores_B, mask_BT = zip(*rows, strict=True)
    group = np.array([data.draw(st.integers(0, 2)) for _ in rows])
    totals = claim_totals(sentence_B, scores_B, mask_BT)
    silence_B = silence_values(totals, group, policy="neutral")
    shaping_BT = np.stack(
        [shaping(*pair, weight=weight, silence=v) for *pair, v in zip(sentence_B, scores_B, silence_B, strict=True)]
    )
    means = completion_means(np.zeros(len(rows)), shaping_BT, np.array(mask_BT))
    for number in set(group):
        own = means[(group == number) & ~np.isnan(means)]
        np.testing.assert_allclose(own.sum(), 0.0, atol=1e-9 * weight)


@given(row=completions())
def test_shares_lie_between_none_and_all_tokens_and_padding_changes_nothing(row) -> None:
    sentence, scores, mask = row
    totals = claim_totals([sentence], [scores], [mask])
    assert 0 <= totals.share_B[0] <= 1
    length = sum(mask)
    alone = claim_totals([sentence[:length]], [scores])
    np.testing.assert_array_equal((totals.reward_B, totals.share_B), (alone.reward_B, alone.share_B))
