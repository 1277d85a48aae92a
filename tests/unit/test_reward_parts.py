"""The parts of a reward one by one: content words, pair rules, repetition, judge, format."""

import math
from dataclasses import replace

import pytest

from corver.errors import UsageError
from corver.reward.content import content_words, is_pronoun, query_words
from corver.reward.format import format_reward, length_penalty
from corver.reward.judge import judge
from corver.reward.repetition import REPEATED, guard_repetition
from corver.reward.select import Claim, claims_of, decide
from corver.types import Count, Pair, SentenceScore, Span, Status


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the University of Oslo", ("university", "oslo")),
        ("July 20, 1969", ("july", "20", "1969")),
        ("Apollo 11", ("apollo", "11")),
        ("Malcolm X", ("malcolm", "x")),
        ("Łódź", ("lodz",)),
        ("New York, New York", ("new", "york")),
        ("The Who", ("who",)),
        ("The The", ()),
        ("it is", ("it", "is")),
        ("", ()),
        ("—", ()),
    ],
)
def test_content_words(text: str, words: tuple[str, ...]) -> None:
    assert content_words(text) == words


@pytest.mark.parametrize("text", ["she", "He", "it", "They", "this", "I", " her "])
def test_pronouns(text: str) -> None:
    assert is_pronoun(text)


@pytest.mark.parametrize("text", ["US", "IT", "WHO", "Warsaw", "", "them all"])
def test_what_only_looks_like_a_pronoun(text: str) -> None:
    assert not is_pronoun(text)


@pytest.mark.parametrize(
    ("head", "tail", "words"),
    [
        ("Marie Curie", "Warsaw", ("curie", "marie", "warsaw")),
        ("Warsaw", "Marie Curie", ("curie", "marie", "warsaw")),
        ("She", "Warsaw", ()),
        ("Marie Curie", "it", ()),
        ("", "Warsaw", ()),
        ("Marie Curie", "—", ()),
        ("Paris", "Paris", ()),
        ("Marie Curie", "Curie Marie", ()),
        ("Government of Canada", "Canada", ("canada", "government")),
        ("US", "1776", ("1776", "us")),
    ],
)
def test_query_words(head: str, tail: str, words: tuple[str, ...]) -> None:
    assert query_words(Pair(head, "", tail)) == words


PAIRS = [Pair("She", "won", "prize"), Pair("Ann Lee", "won", "Oscar"), Pair("Ann Lee", "won in", "1999")]


def test_first_takes_the_first_valid_pair() -> None:
    assert [claim.words for claim in claims_of(PAIRS, "first")] == [("ann", "lee", "oscar")]
    assert claims_of(PAIRS[:1], "first") == []


def test_min_takes_every_valid_pair() -> None:
    assert [claim.words for claim in claims_of(PAIRS, "min")] == [("ann", "lee", "oscar"), ("1999", "ann", "lee")]


def test_relcheck_adds_the_words_of_the_relation() -> None:
    (claim,) = claims_of([Pair("Ann Lee", "was born in", "Riga")], "relcheck")
    assert claim.queries == (("ann", "lee", "riga"), ("ann", "born", "lee", "riga"))
    (bare,) = claims_of([Pair("Ann Lee", "is in", "Riga")], "relcheck")
    assert bare.queries == (("ann", "lee", "riga"),)


def counted(*values: int, approx: bool = False) -> list[Count]:
    return [Count(value, False, "ann", approx) for value in values]


def test_the_lowest_count_decides() -> None:
    claims = claims_of(PAIRS, "min")
    assert decide(claims, [counted(7), counted(2)]).claim is claims[1]
    assert decide(claims, [counted(2), counted(2)]).claim is claims[0]


def test_an_exact_zero_decides_before_an_estimated_one() -> None:
    claims = claims_of(PAIRS, "min")
    verdict = decide(claims, [counted(0, approx=True), counted(0)])
    assert verdict.claim is claims[1]
    assert not verdict.count.approx


def test_only_an_exact_zero_demotes() -> None:
    claim = Claim(Pair("Ann Lee", "sang in", "Riga"), ("ann", "lee", "riga"), ("ann", "lee", "riga", "sang"))
    assert decide([claim], [counted(9, 0)]).demoted == 1
    assert decide([claim], [counted(9, 1)]).demoted == 0
    assert decide([claim], [counted(9, 0, approx=True)]).demoted == 0


def scored(words: str, reward: float, status: Status = Status.SUPPORTED) -> SentenceScore:
    return SentenceScore(Span(0, 1), "x", status, reward, words=tuple(words.split()))


def rewards(*scores: SentenceScore) -> list[float]:
    return [score.reward for score in guard_repetition(scores)]


def test_a_pair_is_rewarded_once() -> None:
    assert rewards(scored("a b c", 0.1), scored("a b c", 0.1)) == [0.1, 0.0]


def test_dropping_a_word_makes_no_new_pair_but_a_further_detail_does() -> None:
    assert rewards(scored("a b c", 0.1), scored("a c", 0.1)) == [0.1, 0.0]
    assert rewards(scored("a c", 0.1), scored("a b c", 0.1)) == [0.1, 0.1]


def test_penalties_and_other_states_pass_through() -> None:
    unsupported = scored("a b", -0.3, Status.UNSUPPORTED)
    assert rewards(unsupported, unsupported) == [-0.3, -0.3]
    assert [score.repeated for score in guard_repetition([unsupported, unsupported])] == [False, True]
    silent = replace(scored("", 0.0), status=Status.NO_CLAIM)
    assert guard_repetition([silent, silent]) == [silent, silent]
    failed = scored("a b", math.nan, Status.FAILED)
    after = guard_repetition([failed, scored("a b", 0.1)])
    assert math.isnan(after[0].reward)
    assert after[1].reward == 0.1


def test_the_guard_says_why() -> None:
    first, second = guard_repetition([scored("a b", 0.1), scored("a b", 0.1)])
    assert (first.reason, second.reason) == (None, REPEATED)
    assert second.status is Status.SUPPORTED


def test_the_judge_reads_the_answer_block_only() -> None:
    rambling = "<think>Paris, London, Warsaw.</think> <answer>Paris</answer>"
    judgement = judge(rambling, ["Warsaw"])
    assert judgement is not None
    assert (judgement.label, judgement.prediction) == ("wrong", "Paris")


def test_no_answer_block_is_not_attempted() -> None:
    judgement = judge("Warsaw", ["Warsaw"])
    assert judgement is not None
    assert (judgement.label, judgement.reward, judgement.prediction) == ("not_attempted", -1.0, None)


@pytest.mark.parametrize("completion", ["", "<answer></answer>", "<think></think><answer> </answer>", "<answer>"])
@pytest.mark.parametrize("rule", ["words", "paper"])
def test_an_empty_answer_never_pays(completion: str, rule: str) -> None:
    judgement = judge(completion, ["Warsaw"], rule="paper" if rule == "paper" else "words")
    assert judgement is not None
    assert judgement.label == "not_attempted"


def test_without_gold_answers_there_is_nothing_to_judge() -> None:
    assert judge("<answer>Warsaw</answer>", []) is None
    assert judge("<answer>Warsaw</answer>", ["", " "]) is None


def test_judge_rewards_are_settings() -> None:
    judgement = judge("<answer>I don't know</answer>", ["Warsaw"], not_attempted=0.5)
    assert judgement is not None
    assert judgement.reward == 0.5


def test_every_gold_answer_is_right() -> None:
    for gold in (
        "Warsaw",
        "1,000",
        "The Who",
        "I Don't Know",
        "J. R. R. Tolkien",
        "Vitamin A",
        "東京",
        "a",
        "May 5, 1821",
    ):
        judgement = judge(f"<think>x</think><answer>{gold}</answer>", [gold])
        assert judgement is not None
        assert judgement.label == "correct", gold


def test_format_with_a_think_block_that_the_prompt_opened() -> None:
    assert format_reward("x</think><answer>y</answer>", think_opened=True) == 1.0
    assert format_reward("x</think><answer>y</answer>") == -1.0


def test_text_around_the_blocks_is_forgiven() -> None:
    assert format_reward("So: <think>x</think> then <answer>y</answer>.") == 1.0


def test_a_length_limit_must_be_positive() -> None:
    with pytest.raises(UsageError, match="positive"):
        length_penalty(3, limit=0)
