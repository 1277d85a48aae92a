"""The scorer over a corpus that fits in the head: verdicts, batching, failures."""

import math
import time
from collections.abc import Sequence

import pytest

from corver.errors import ConfigError, ExtractionError, LookupFailedError, UsageError
from corver.extract.rules import RulesExtractor
from corver.reward.levels import RELEASE_LEVELS, Levels
from corver.reward.repetition import REPEATED
from corver.reward.scorer import APPROXIMATE, CooccurrenceReward, Scorer
from corver.reward.stats import ScoreStats
from corver.types import (
    Count,
    Counter,
    Extraction,
    Pair,
    Passage,
    Query,
    Rollout,
    SentenceReward,
    SentenceScore,
    Span,
    Status,
)

CURIE = "Marie Curie was born in Warsaw. She discovered polonium."


class FakeIndex:
    """Counts from a table of word sets; what it lacks counts 0. Fails on queries that hold a word of `broken`."""

    def __init__(self, table: dict[str, int], *, broken: str = "", approx: bool = False) -> None:
        self.table = {frozenset(words.split()): count for words, count in table.items()}
        self.broken = broken
        self.approx = approx
        self.calls: list[tuple[list[Query], int, int | None]] = []

    def count_many(self, queries: Sequence[Query], *, window: int = 1000, cap: int | None = None) -> list[Count]:
        self.calls.append((list(queries), window, cap))
        if any(self.broken in query for query in queries):
            raise LookupFailedError(f"the shard of {self.broken} is gone")
        counts = []
        for query in queries:
            value = self.table.get(frozenset(str(word) for word in query), 0)
            capped = cap is not None and value > cap
            counts.append(Count(min(value, cap) if cap is not None else value, capped, str(query[0]), self.approx))
        return counts

    def fingerprint(self) -> str:
        return "fake"


@pytest.fixture
def index() -> FakeIndex:
    return FakeIndex({"curie marie warsaw": 57, "curie marie polonium": 3, "11 apollo 1969 20 july": 9})


def test_the_example_of_the_front_page(index: FakeIndex) -> None:
    scored = Scorer(index=index).score(CURIE)
    first, second = scored.sentences
    assert first.to_json() == {
        "start": 0,
        "end": 31,
        "text": "Marie Curie was born in Warsaw.",
        "status": "supported",
        "pair": {"head": "Marie Curie", "relation": "was born in", "tail": "Warsaw"},
        "words": ["curie", "marie", "warsaw"],
        "count": 20,
        "capped": True,
        "level": 3,
        "reward": 0.1,
    }
    assert (second.span, second.text) == (Span(32, 56), "She discovered polonium.")
    assert second.words == ("curie", "marie", "polonium")
    assert (second.count, second.level, second.reward) == (3, 1, -0.1)


def test_exact_counts_change_the_count_and_nothing_else(index: FakeIndex) -> None:
    capped, exact = Scorer(index=index).score(CURIE), Scorer(index=index, exact_counts=True).score(CURIE)
    assert [score.count for score in exact.sentences] == [57, 3]
    assert [score.capped for score in exact.sentences] == [False, False]
    assert [score.reward for score in exact.sentences] == [score.reward for score in capped.sentences]


def test_a_batch_is_one_call_with_distinct_queries(index: FakeIndex) -> None:
    rollouts = [Rollout(f"<think>{CURIE}</think> <answer>Warsaw</answer>")] * 5
    rows = Scorer(index=index, window=300).score_rollouts(rollouts)
    assert [len(row) for row in rows] == [3] * 5
    ((queries, window, cap),) = index.calls
    assert queries == [("curie", "marie", "warsaw"), ("curie", "marie", "polonium")]
    assert (window, cap) == (300, 20)


def test_nothing_to_count_calls_nobody(index: FakeIndex) -> None:
    scorer = Scorer(index=index)
    assert scorer.score("").sentences == ()
    assert scorer.score_texts([]) == []
    assert [score.status for score in scorer.score("Well. Yes!").sentences] == [Status.NO_CLAIM] * 2
    assert index.calls == []


def test_numbers_change_the_verdict(index: FakeIndex) -> None:
    scorer = Scorer(index=index)
    right, wrong_year, wrong_name = scorer.score_texts(
        [
            "Apollo 11 landed on July 20, 1969.",
            "Apollo 11 landed on July 20, 1996.",
            "Apollo 13 landed on July 20, 1969.",
        ]
    )
    assert right.sentences[0].words == ("11", "1969", "20", "apollo", "july")
    assert right.sentences[0].status is Status.SUPPORTED
    assert wrong_year.sentences[0].status is Status.UNSUPPORTED
    assert wrong_name.sentences[0].status is Status.UNSUPPORTED


def test_a_sentence_without_a_claim_is_no_claim_with_reward_zero(index: FakeIndex) -> None:
    (score,) = Scorer(index=index).score("He won.").sentences
    assert (score.status, score.reward, score.count, score.level) == (Status.NO_CLAIM, 0.0, None, None)


def test_a_failed_lookup_fails_its_own_sentences_only() -> None:
    index = FakeIndex({"curie marie warsaw": 57}, broken="polonium")
    first, second = Scorer(index=index).score(CURIE).sentences
    assert first.status is Status.SUPPORTED
    assert second.status is Status.FAILED
    assert math.isnan(second.reward)
    assert second.to_json()["reward"] is None
    assert second.reason == "the shard of polonium is gone"


def test_an_approximate_zero_is_a_failure_and_never_a_penalty() -> None:
    index = FakeIndex({"curie marie warsaw": 57}, approx=True)
    first, second = Scorer(index=index).score(CURIE).sentences
    assert (first.status, first.reward, first.reason) == (Status.SUPPORTED, 0.1, APPROXIMATE)
    assert second.status is Status.FAILED
    assert math.isnan(second.reward)
    assert second.reason == APPROXIMATE


AB = Pair("A b", "", "C")


class BrokenExtractor:
    """Fails on every passage that holds a word, and on single sentences that hold another."""

    def extract(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        if any("fatal" in sentence for passage in passages for sentence in passage.sentences):
            raise ExtractionError("the model is gone")
        return [
            [Extraction(failure="malformed output") if "odd" in s else Extraction((AB,)) for s in p.sentences]
            for p in passages
        ]

    def fingerprint(self) -> str:
        return "broken"


def test_a_failed_extraction_is_not_a_missing_claim(index: FakeIndex) -> None:
    scorer = Scorer(index=index, extractor=BrokenExtractor())
    good, odd, fatal = scorer.score_texts(["One.", "An odd one. Another.", "A fatal one. Another."])
    assert [score.status for score in good.sentences] == [Status.UNSUPPORTED]
    assert [score.status for score in odd.sentences] == [Status.FAILED, Status.UNSUPPORTED]
    assert odd.sentences[0].reason == "malformed output"
    assert [score.status for score in fatal.sentences] == [Status.FAILED] * 2
    assert all(score.reason == "the model is gone" and math.isnan(score.reward) for score in fatal.sentences)


def test_repetition_is_rewarded_once(index: FakeIndex) -> None:
    text = "Marie Curie was born in Warsaw. Warsaw is where Marie Curie was born. Marie Curie was born in Warsaw."
    rewards = [score.reward for score in Scorer(index=index).score(text).sentences]
    assert rewards == [0.1, 0.0, 0.0]
    assert [score.reason for score in Scorer(index=index).score(text).sentences] == [None, REPEATED, REPEATED]
    free = Scorer(index=index, repetition_guard=False).score(text)
    assert [score.reward for score in free.sentences] == [0.1, 0.1, 0.1]


def test_repeating_an_unsupported_claim_costs_every_time(index: FakeIndex) -> None:
    rewards = [score.reward for score in Scorer(index=index).score("Bo Lee was born in Oslo. " * 3).sentences]
    assert rewards == [-0.3, -0.3, -0.3]


def test_the_guard_does_not_reach_over_texts(index: FakeIndex) -> None:
    scored = Scorer(index=index).score_texts(["Marie Curie was born in Warsaw."] * 2)
    assert [text.sentences[0].reward for text in scored] == [0.1, 0.1]


def test_sentences_that_a_rollout_brings_along_are_taken_as_they_are(index: FakeIndex) -> None:
    text = "Marie Curie was born in Warsaw. She discovered polonium."
    ((score,),) = Scorer(index=index).score_rollouts([Rollout(text, sentences=(Span(0, 31),))])
    assert score.text == "Marie Curie was born in Warsaw."
    assert Scorer(index=index).score_rollouts([Rollout(text, sentences=())]) == [[]]


def test_a_question_lends_its_subject_when_asked_to(index: FakeIndex) -> None:
    rollout = Rollout("<think>Poland.</think><answer>Warsaw</answer>", question="Where was Marie Curie born?")
    lending = Scorer(index=index, extractor=RulesExtractor(question_subject=True))
    assert [s.status for s in lending.score_rollouts([rollout])[0]] == [Status.UNSUPPORTED, Status.SUPPORTED]
    assert [s.status for s in Scorer(index=index).score_rollouts([rollout])[0]] == [Status.NO_CLAIM] * 2
    assert lending.score("Warsaw.", question="Where was Marie Curie born?").sentences[0].reward == 0.1


def test_min_keeps_the_lowest_count() -> None:
    index = FakeIndex({"curie marie warsaw": 57, "1867 curie marie": 2})
    text = "Marie Curie was born in Warsaw in 1867."
    assert Scorer(index=index, rule="first").score(text).sentences[0].count == 20
    (score,) = Scorer(index=index, rule="min").score(text).sentences
    assert (score.count, score.words) == (2, ("1867", "curie", "marie"))


def test_relcheck_demotes_a_pair_that_never_stands_with_its_relation() -> None:
    index = FakeIndex({"curie marie warsaw": 57, "born curie marie warsaw": 4})
    scorer = Scorer(index=index, rule="relcheck")
    born, died = scorer.score_texts(["Marie Curie was born in Warsaw.", "Marie Curie died in Warsaw."])
    assert (born.sentences[0].level, born.sentences[0].reward) == (3, 0.1)
    assert (died.sentences[0].level, died.sentences[0].reward, died.sentences[0].count) == (2, 0.0, 20)


def test_other_levels() -> None:
    levels = Levels(thresholds=(2,), rewards=(-1.0, 1.0))
    index = FakeIndex({"curie marie warsaw": 1, "curie marie polonium": 2})
    scored = Scorer(index=index, levels=levels).score(CURIE)
    assert [(score.level, score.reward) for score in scored.sentences] == [(0, -1.0), (1, 1.0)]
    assert index.calls[0][2] == 2


@pytest.mark.parametrize("same", [True, False])
def test_a_long_text_costs_linear_time(index: FakeIndex, same: bool) -> None:
    def seconds(sentences: int) -> float:
        text = " ".join(f"Ann Lee{'' if same else i} was born in Warsaw{'' if same else i}." for i in range(sentences))
        started = time.process_time()
        assert len(Scorer(index=index).score(text).sentences) == sentences
        return time.process_time() - started

    seconds(10)
    assert seconds(4000) < 5 * 8 * seconds(500)


def test_wrong_settings_are_refused(index: FakeIndex) -> None:
    with pytest.raises(UsageError, match="window"):
        Scorer(index=index, window=-1)
    with pytest.raises(UsageError, match="rule"):
        Scorer(index=index, rule="last")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="questions"):
        Scorer(index=index).score_texts(["a", "b"], questions=["c"])
    with pytest.raises(ConfigError, match="rewards"):
        Levels(rewards=(0.0,))
    with pytest.raises(ConfigError, match="rise"):
        Levels(thresholds=(5, 1, 20))


def test_the_fingerprint_holds_all_that_scores_depend_on(index: FakeIndex) -> None:
    scorers = [
        Scorer(index=index),
        Scorer(index=index, window=999),
        Scorer(index=index, levels=RELEASE_LEVELS),
        Scorer(index=index, rule="min"),
        Scorer(index=index, repetition_guard=False),
        Scorer(index=index, extractor=RulesExtractor(resolve_pronouns="off")),
        Scorer(index=index, extractor=RulesExtractor(question_subject=True)),
    ]
    assert len({scorer.fingerprint() for scorer in scorers}) == len(scorers)
    assert Scorer(index=index).fingerprint() == Scorer(index=index, exact_counts=True).fingerprint()


def test_the_sentence_reward_protocol(index: FakeIndex) -> None:
    reward = CooccurrenceReward(Scorer(index=index))
    assert isinstance(reward, SentenceReward)
    assert isinstance(index, Counter)
    assert [score.reward for score in reward.score([Rollout(CURIE)])[0]] == [0.1, -0.1]
    assert reward.fingerprint() == reward.scorer.fingerprint()


def test_stats_count_what_became_of_the_sentences() -> None:
    index = FakeIndex({"curie marie warsaw": 57}, broken="polonium")
    born = "Marie Curie was born in Warsaw. "
    text = born + born + "Well. Bo Lee is in Oslo. Marie Curie discovered polonium."
    stats = ScoreStats()
    stats.add(Scorer(index=index).score(text).sentences)
    assert (stats.sentences, stats.claims, stats.zero, stats.no_claim, stats.failed, stats.repeated) == (
        5,
        3,
        1,
        1,
        1,
        1,
    )
    assert stats.mean_reward == pytest.approx((0.1 + 0.0 + 0.0 - 0.3) / 4)
    assert stats.mean_claim_reward == pytest.approx((0.1 + 0.0 - 0.3) / 3)
    row = stats.to_json()
    assert row["failed_share"] == pytest.approx(0.2)
    assert row["zero_share"] == pytest.approx(1 / 3)
    assert ScoreStats().to_json()["mean_reward"] is None


def test_claims_without_a_count_have_no_share_at_count_zero() -> None:
    stats = ScoreStats()
    stats.add([SentenceScore(Span(0, 2), "A.", Status.SUPPORTED, 0.2)])
    assert (stats.claims, stats.to_json()["zero_share"]) == (1, None)
