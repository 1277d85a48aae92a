"""Properties of scoring: a batch is the sum of its texts, levels rise with counts, no failure becomes a number."""

import math
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from corver.errors import LookupFailedError
from corver.reward.levels import Levels
from corver.reward.scorer import Scorer
from corver.reward.select import RULES, PairRule
from corver.types import Count, Query, Rollout, ScoredText, Status

SENTENCES = st.sampled_from(
    [
        "Marie Curie was born in Warsaw.",
        "She discovered polonium.",
        "Oslo is the capital of Norway.",
        "He won.",
        "Well!",
        "Bo Lee died in 1999",
        "<answer>",
        "</think>",
        "東京。",
        "\n",
    ]
)
TEXTS = st.lists(SENTENCES, max_size=6).map(" ".join) | st.text(max_size=40)


class HashIndex:
    """A count that depends on the words alone; some queries cannot be answered, some are estimates."""

    def __init__(self, *, flaky: bool) -> None:
        self.flaky = flaky

    def count_many(self, queries: Sequence[Query], *, window: int = 1000, cap: int | None = None) -> list[Count]:
        counts = []
        for query in queries:
            mark = sum(map(ord, "".join(str(word) for word in query)))
            if self.flaky and mark % 5 == 0:
                raise LookupFailedError("cannot count")
            value = mark % 30 * (mark % 3)
            shown = value if cap is None else min(value, cap)
            counts.append(Count(shown, shown < value, str(query[0]), approx=self.flaky and mark % 2 == 0))
        return counts

    def fingerprint(self) -> str:
        return "hash"


def same(left: ScoredText, right: ScoredText) -> bool:
    """Equality under which NaN equals itself."""
    return repr(left) == repr(right)


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, max_size=4), st.booleans(), st.sampled_from(RULES))
def test_a_batch_is_the_sum_of_its_texts(texts: list[str], flaky: bool, rule: PairRule) -> None:
    scorer = Scorer(index=HashIndex(flaky=flaky), rule=rule)
    together = scorer.score_texts(texts)
    assert len(together) == len(texts)
    assert all(same(one, scorer.score(text)) for one, text in zip(together, texts, strict=True))


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, max_size=4), st.booleans())
def test_every_verdict_is_consistent(texts: list[str], flaky: bool) -> None:
    scorer = Scorer(index=HashIndex(flaky=flaky))
    for text, row in zip(texts, scorer.score_rollouts([Rollout(text) for text in texts]), strict=True):
        for score in row:
            assert score.span.of(text) == score.text
            assert math.isnan(score.reward) == (score.status is Status.FAILED)
            assert (score.reason is not None) or score.status is not Status.FAILED
            assert (score.level is not None) == (score.count is not None) == score.has_claim
            if score.status is Status.SUPPORTED:
                assert score.count is not None
                assert score.count >= 1
            if score.status is Status.UNSUPPORTED:
                assert (score.count, score.level, score.reward) == (0, 0, -0.3)
            if score.status is Status.NO_CLAIM:
                assert score.reward == 0.0


@given(
    st.lists(st.integers(1, 100), min_size=1, max_size=5, unique=True).map(sorted),
    st.integers(0, 200),
    st.integers(0, 200),
)
def test_levels_rise_with_counts_and_do_not_see_the_cap(thresholds: list[int], low: int, high: int) -> None:
    levels = Levels(thresholds=tuple(thresholds), rewards=tuple(float(i) for i in range(len(thresholds) + 1)))
    low, high = sorted((low, high))
    assert levels.level(low) <= levels.level(high)
    assert levels.level(min(high, levels.cap)) == levels.level(high)
    assert levels.level(0) == 0
