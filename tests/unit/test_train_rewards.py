"""Judge and format as TRL reward functions: strings, messages, unknown keywords, and inside a plain GRPOTrainer."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from trl import GRPOTrainer

from corver.config import FormatConfig, JudgeConfig
from corver.train.rewards import completion_text, format_function, gold_answers, judge_function
from tiny import good_completion
from trainers import ended, make_trainer

GOOD = good_completion("Marie Curie was born in Warsaw.", "Warsaw")
WRONG = good_completion("Marie Curie was born in Ulm.", "Ulm")
UNSURE = good_completion("This is not known.", "I don't know")


def message(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


@pytest.mark.parametrize("form", [str, message])
def test_judge_and_format_read_strings_and_messages(form: Any) -> None:
    completions = [form(text) for text in (GOOD, WRONG, UNSURE, "no tags", "")]
    answers = [["Warsaw"]] * 5
    more = {"prompts": ["?"] * 5, "trainer_state": None, "log_extra": print, "surprise": 3}
    assert judge_function()(completions=completions, answers=answers, **more) == [2.0, -1.0, -1.0, -1.0, -1.0]
    assert format_function()(completions=completions, answers=answers, **more) == [1.0, 1.0, 1.0, -1.0, -1.0]


def test_rewards_come_from_the_configuration() -> None:
    judge = judge_function(JudgeConfig(correct=5.0, wrong=-3.0, not_attempted=0.5))
    assert judge(completions=[GOOD, WRONG, UNSURE], answers=[["Warsaw"]] * 3) == [5.0, -3.0, 0.5]
    assert format_function(FormatConfig(good=0.25, bad=-0.5))(completions=[GOOD, "x"]) == [0.25, -0.5]


def test_without_a_gold_the_judge_does_not_apply() -> None:
    assert judge_function()(completions=[GOOD] * 4, answers=[[], None, [" "], ""]) == [None] * 4


def test_a_single_gold_is_not_taken_letter_by_letter() -> None:
    just_a_letter = good_completion("The city was W.", "W")
    assert judge_function()(completions=[GOOD, just_a_letter], answers=["Warsaw", "Warsaw"]) == [2.0, -1.0]


def test_length_penalty_counts_sampled_tokens() -> None:
    function = format_function(FormatConfig(length_penalty=True, length_limit=4))
    ids = [[1] * 4, [1] * 6, [1] * 8]
    assert function(completions=[GOOD] * 3, completion_ids=ids) == [1.0, 0.75, 0.5]
    with pytest.raises(TypeError, match="completion_ids"):
        function(completions=[GOOD])


def test_text_of_a_completion() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    talk = [{"role": "assistant", "content": "call"}, {"role": "tool", "content": "<answer>x</answer>"}]
    assert completion_text([{"role": "assistant", "content": blocks}]) == "ab"
    assert completion_text([*talk, {"role": "assistant", "content": None}]) == "call"
    for wrong in (3, None, [1], {"role": "assistant"}):
        with pytest.raises(TypeError, match="string or chat messages"):
            completion_text(wrong)


def test_golds_of_a_field() -> None:
    assert gold_answers(None) == ()
    assert gold_answers("Warsaw") == ("Warsaw",)
    assert gold_answers(["a", "b"]) == ("a", "b")


def test_functions_have_names_that_logs_can_show() -> None:
    assert (judge_function().__name__, format_function().__name__) == ("judge", "format")


def test_they_work_in_a_plain_trainer(tmp_path: Path) -> None:
    texts = (GOOD, WRONG, UNSURE, "no tags")
    trainer, recorded = make_trainer(
        tmp_path,
        lambda _, place: ended(texts[place]),
        [("Where?", ["Warsaw"])],
        kind=GRPOTrainer,
        changes={"max_steps": 1, "per_device_train_batch_size": 4},
    )
    trainer.train()
    (row,) = [row for row in recorded.logs if "loss" in row]
    assert row["rewards/judge/mean"] == pytest.approx((2 - 1 - 1 - 1) / 4)
    assert row["rewards/format/mean"] == pytest.approx((1 + 1 + 1 - 1) / 4)
    assert math.isfinite(row["loss"])
