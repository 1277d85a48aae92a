"""Probes: edits that make a sentence less informative or less true must not raise its profile reward.

What counts cannot see is probed too, so that the documented limits stay what they are.
"""

from pathlib import Path

import pytest
from test_reward_profile import CURIE, FILLER, PARIS, Texts

from corver.index import Index, build_index
from corver.reward.profile import ProfileSettings
from corver.reward.scorer import Scorer
from corver.types import Status

TRUE = "Marie Curie was a physicist born in Warsaw in 1867."
QUESTION = "Who was Marie Curie?"


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Scorer:
    folder: Path = tmp_path_factory.mktemp("gaming")
    build_index([Texts([CURIE * 2, CURIE, PARIS * 3, PARIS, *[FILLER * 20] * 30])], folder)
    return Scorer(index=Index.open(folder), support="profile", profile=ProfileSettings(neutral=0.0))


def total(scorer: Scorer, text: str, question: str | None = QUESTION) -> float:
    return sum(sentence.reward for sentence in scorer.score(text, question=question).sentences)


@pytest.mark.parametrize(
    "edited",
    [
        "",
        "Marie Curie.",
        "She is known for many things and had a long career.",
        "It is a very interesting and well known fact.",
        "Marie Curie was a physicist.",
        "Marie Curie was a physicist born in Warsaw.",
        "Marie Curie was a physicist born in Warsaw in 1912.",
        "Marie Curie was a physicist born in Rome in 1867.",
        f"{TRUE} {TRUE}",
        f"{TRUE} She was born in Warsaw. Warsaw is where she was born in 1867. 1867!",
        f"{TRUE} Marie Curie and Warsaw. Warsaw and Marie Curie.",
        f"{TRUE} Paris, London and Rome are famous.",
        f"{TRUE} The Seine flows through Paris, the capital of France.",
        "Marie Curie was a physicist born in Warsaw in 1867 like Paris, London and Rome.",
        "Marie Curie was not a physicist born in Warsaw in 1867.",
        "Was Marie Curie a physicist born in Warsaw in 1867?",
    ],
)
def test_an_edit_that_says_less_or_less_truth_does_not_pay(scorer: Scorer, edited: str) -> None:
    assert total(scorer, TRUE) > 0
    assert total(scorer, edited) <= total(scorer, TRUE) + 1e-9


def test_one_claim_cut_into_many_is_worth_no_more(scorer: Scorer) -> None:
    pieces = "Marie Curie was a physicist. Marie Curie was born in Warsaw. Marie Curie was born in 1867."
    assert total(scorer, pieces) == pytest.approx(total(scorer, TRUE), abs=0.02)
    assert total(scorer, f"{pieces} Marie Curie and Warsaw. Marie Curie and 1867.") <= total(scorer, pieces) + 1e-9


def test_a_further_true_detail_pays(scorer: Scorer) -> None:
    assert total(scorer, f"{TRUE} She won the Nobel Prize.") > total(scorer, TRUE)


def test_what_counts_cannot_see(scorer: Scorer) -> None:
    # The limits in docs/signal.md: another relation between the right entities, and their order.
    wrong_relation = "Marie Curie was a physicist killed in Warsaw in 1867."
    assert total(scorer, wrong_relation) == pytest.approx(total(scorer, TRUE), abs=0.05)
    assert total(scorer, "Warsaw was born in Marie Curie.") == pytest.approx(
        total(scorer, "Marie Curie was born in Warsaw."), abs=0.05
    )


def test_a_denial_is_worth_what_silence_is(scorer: Scorer) -> None:
    (denial,) = scorer.score("Marie Curie was never a dancer in Rome.", question=QUESTION).sentences
    assert (denial.status, denial.reward) == (Status.NO_CLAIM, 0.0)
