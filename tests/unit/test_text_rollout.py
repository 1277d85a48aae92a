"""The rollout format: what is found in a completion and what is wrong with it."""

import pytest

from corver.text.rollout import FormatFault, cut_off_sentence, parse_rollout, rollout_sentences

GOOD = "<think> Marie Curie was born in Warsaw. She moved. </think> <answer> Warsaw </answer>"


def texts(completion: str, *, drop_cut_off: bool = False) -> list[str]:
    return [span.of(completion) for span in rollout_sentences(completion, drop_cut_off=drop_cut_off)]


def test_a_well_formed_completion() -> None:
    parsed = parse_rollout(GOOD)
    assert parsed.well_formed
    assert parsed.faults == ()
    assert parsed.outside == ()
    assert parsed.think is not None
    assert parsed.answer is not None
    assert parsed.think.of(GOOD) == "Marie Curie was born in Warsaw. She moved."
    assert parsed.answer.of(GOOD) == "Warsaw"
    assert [tag.span.of(GOOD) for tag in parsed.tags] == ["<think>", "</think>", "<answer>", "</answer>"]
    assert texts(GOOD) == ["Marie Curie was born in Warsaw.", "She moved.", "Warsaw"]


@pytest.mark.parametrize(
    ("completion", "faults", "answer"),
    [
        ("", ("think_missing", "answer_missing"), None),
        ("Warsaw", ("think_missing", "answer_missing", "text_outside"), None),
        ("<answer>Warsaw</answer>", ("think_missing",), "Warsaw"),
        ("<think>x</think>", ("answer_missing",), None),
        ("<think>x</think> <answer></answer>", ("answer_empty",), ""),
        ("<think> </think> <answer>y</answer>", ("think_empty",), "y"),
        ("<think>x</think> <answer>y", ("answer_unclosed",), "y"),
        ("<think>x <answer>y</answer>", ("think_unclosed",), "y"),
        ("<think>x</think> <answer>y</ans", ("answer_unclosed",), "y"),
        ("<think>x</think><answer>y</answer><answer>z</answer>", ("answer_repeated",), "z"),
        ("<think>x</think></think><answer>y</answer>", ("think_repeated",), "y"),
        ("<think>a</think><think>b</think><answer>y</answer>", ("think_repeated",), "y"),
        ("<answer>y</answer><think>x</think>", ("out_of_order",), "y"),
        ("<think>x <answer>y</answer> z</think>", ("think_unclosed", "text_outside"), "y"),
        ("<think>x</think><answer><answer>y</answer></answer>", ("answer_repeated",), "y"),
        ("<think>x</think> so <answer>y</answer> ok", ("text_outside",), "y"),
        ("<Think>x</ think ><ANSWER>y</answer>", (), "y"),
    ],
)
def test_faults(completion: str, faults: tuple[FormatFault, ...], answer: str | None) -> None:
    parsed = parse_rollout(completion)
    assert parsed.faults == faults
    assert parsed.well_formed is (not set(faults) - {"text_outside"})
    assert (None if parsed.answer is None else parsed.answer.of(completion)) == answer


def test_the_prompt_may_have_opened_the_think_block() -> None:
    completion = "x. </think><answer>y</answer>"
    assert parse_rollout(completion, think_opened=True).faults == ()
    assert "think_missing" in parse_rollout(completion).faults
    assert "think_repeated" in parse_rollout("<think>" + completion, think_opened=True).faults


def test_text_outside_the_blocks_belongs_to_sentences() -> None:
    completion = "Well. <think>Oslo is big.</think> Then. <answer>b</answer> Bye"
    assert texts(completion) == ["Well.", "Oslo is big.", "Then.", "b", "Bye"]
    assert [span.of(completion) for span in parse_rollout(completion).outside] == ["Well.", "Then.", "Bye"]


def test_a_sentence_never_crosses_a_tag() -> None:
    assert texts("<think>Marie Curie was</think> born in Warsaw.") == ["Marie Curie was", "born in Warsaw."]


def test_the_cut_off_sentence_is_told_apart() -> None:
    cut = "<think> Oslo is big. Ann was born in"
    assert texts(cut) == ["Oslo is big.", "Ann was born in"]
    assert texts(cut, drop_cut_off=True) == ["Oslo is big."]
    span = cut_off_sentence(cut)
    assert span is not None
    assert span.of(cut) == "Ann was born in"


@pytest.mark.parametrize(
    "completion", ["<think>Oslo is big.</think>", "<think>Oslo is big.</thi", "<think>Oslo is big.</think> \n"]
)
def test_a_tag_after_the_text_means_that_nothing_was_cut(completion: str) -> None:
    assert cut_off_sentence(completion) is None
    assert texts(completion, drop_cut_off=True) == ["Oslo is big."]


def test_a_stop_at_the_very_end_is_no_proof_of_a_whole_sentence() -> None:
    assert texts("It is worth 3.", drop_cut_off=True) == []


def test_other_angle_brackets_are_text() -> None:
    assert parse_rollout("1 < 2 <b>x</b> <thinking>").tags == ()
