"""A trainer whose verifier errs: verdicts, appeals, the judge's share of the advantage, states, refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corver.config import CreditConfig
from corver.credit.appeals import AppealCase, AppealDecision
from corver.credit.noise import NoiseRates, judge_advantage
from corver.errors import ConfigError, CorrectionUndoneError, TrainingError
from corver.train.rewards import format_function
from corver.train.verifier import appeal_cases
from tiny import END
from trainers import ended, make_trainer

QUESTIONS = (("What is two plus two?", ["4"]), ("What is three plus four?", ["7"]))
REPLIES = {"What is two plus two?": ("4", "four", "5", "4"), "What is three plus four?": ("seven", "8", "7", "9")}
RIGHT = {"4", "four", "7", "seven"}


def script(question: str, place: int) -> str:
    return ended(f"<think>So.</think> <answer>{REPLIES[question][place % 4]}</answer>")


def strict(*, completions: Sequence[Any], answers: Sequence[Any], **_: Any) -> list[float]:
    """Digits only: rejects right answers in words."""
    return [
        float(f"<answer>{golds[0]}</answer>" in completion[0]["content"])
        for completion, golds in zip(completions, answers, strict=True)
    ]


class Hearing:
    """A better judge that knows number words; `silent` names predictions on which it says nothing."""

    def __init__(self, silent: Sequence[str] = ()) -> None:
        self.silent = silent
        self.heard: list[AppealCase] = []

    def decide(self, cases: Sequence[AppealCase]) -> list[AppealDecision]:
        self.heard += cases
        return [
            AppealDecision(None, "asked to")
            if case.prediction in self.silent
            else AppealDecision(case.prediction in RIGHT)
            for case in cases
        ]


def trained(folder: Path, credit: dict[str, Any], *, judge: Hearing | None = None, **more: Any):
    credit = {"advantage": {"scale": "none"}} | credit
    changes = {"scale_rewards": credit["advantage"]["scale"]} | more.pop("changes", {})
    settings: dict[str, Any] = {"reward_funcs": [strict], "sentence_reward": None} | more
    return make_trainer(
        folder, script, QUESTIONS, credit=CreditConfig(**credit), appeal_judge=judge, changes=changes, **settings
    )


def by_row(recorded: Any, batch: int = 0) -> dict[tuple[str, int], float]:
    """(question, place) -> the completion's advantage."""
    seen: dict[str, int] = {}
    rows = {}
    for rollout, values in zip(recorded.batches[batch][1], recorded.outputs[batch]["advantages"], strict=True):
        place = seen.setdefault(rollout.question, 0)
        seen[rollout.question] += 1
        assert len(set(np.round(values[values != 0], 6))) <= 1, "one advantage a completion"
        rows[rollout.question, place] = float(values[0])
    return rows


VERDICTS = {"What is two plus two?": (1, 0, 0, 1), "What is three plus four?": (0, 0, 1, 0)}


def expected(verdicts: dict[str, Sequence[float]], correction: str, rates: NoiseRates, scale: float):
    return {
        (question, place): value
        for question, row in verdicts.items()
        for place, value in enumerate(
            judge_advantage(row, np.zeros(4), correction=correction, rates=rates, scale=scale)
        )
    }


@pytest.mark.parametrize("correction", ["none", "backward", "forward"])
def test_a_binary_verifier_without_corpus_trains_with_corrected_advantages(tmp_path, correction):
    noise = {"correction": correction, "false_positive": 0.1, "false_negative": 0.2, "scale": 0.5}
    trainer, recorded = trained(tmp_path, {"noise": noise})
    trainer.train()
    wanted = expected(VERDICTS, correction, NoiseRates(0.1, 0.2), 0.5)
    assert by_row(recorded) == pytest.approx(wanted, abs=1e-6)
    log = recorded.logs[0]
    assert log["corver/verifier_accepted"] == pytest.approx(3 / 8)
    assert log["corver/noise_scale"] == 0.5
    assert (log["corver/correction_change"] > 0.1) == (correction != "none")
    assert log["corver/advantage_std"] == pytest.approx(np.std(list(wanted.values())), abs=1e-6)
    assert log["corver/reward_group_std"] == pytest.approx(math.sqrt((1 / 3 + 1 / 4) / 2))
    assert "grad_norm" in log


def test_the_other_rewards_keep_the_group_baseline_and_share_the_scale(tmp_path):
    noise = {"correction": "forward", "false_negative": 0.2, "scale": 0.5, "verifier": "strict"}
    replies = (
        "<think>So.</think> <answer>4</answer>",
        "4",
        "<answer>4</answer>",
        "<think>So.</think> <answer>5</answer>",
    )
    trainer, recorded = make_trainer(
        tmp_path,
        lambda question, place: ended(replies[place % 4]),
        QUESTIONS[:1],
        credit=CreditConfig(noise=noise, advantage={"scale": "none"}),
        changes={"scale_rewards": "none", "per_device_train_batch_size": 4, "reward_weights": [3.0, 1.0]},
        reward_funcs=[strict, format_function()],
        sentence_reward=None,
    )
    trainer.train()
    verdict, form = np.array([1, 0, 1, 0]), np.array([1.0, -1, -1, 1])
    wanted = (3.0 * (verdict - 0.8) + form - form.mean()) / 0.5
    assert list(by_row(recorded).values()) == pytest.approx(list(wanted), abs=1e-5)


def test_appeals_flip_verdicts_estimate_the_rate_and_correct_what_is_left(tmp_path):
    judge = Hearing()
    credit = {"noise": {"correction": "forward", "scale": 1.0}, "appeals": {"q": 1.0}}
    trainer, recorded = trained(tmp_path, credit, judge=judge, changes={"max_steps": 1})
    trainer.train()
    assert sorted(case.prediction for case in judge.heard) == ["5", "8", "9", "four", "seven"]
    assert judge.heard[0].answers in (("4",), ("7",))
    log = recorded.logs[0]
    assert (log["corver/appeals_made"], log["corver/appeals_flipped"], log["corver/appeals_failed"]) == (5, 2, 0)
    assert log["corver/noise_false_negative"] == pytest.approx(2 / 5, abs=1e-4)
    assert log["corver/noise_false_negative_low"] < 0.4 < log["corver/noise_false_negative_high"]
    # All were heard by a judge without errors, so nothing is left to correct: ρ1 after flips is 0.
    flipped = {"What is two plus two?": (1, 1, 0, 1), "What is three plus four?": (1, 0, 1, 0)}
    assert by_row(recorded) == pytest.approx(expected(flipped, "forward", NoiseRates(0, 0), 1.0), abs=1e-4)
    assert log["rewards/strict/mean"] == pytest.approx(5 / 8)


def test_appeals_alone_leave_the_ordinary_advantage(tmp_path):
    trainer, recorded = trained(
        tmp_path, {"appeals": {"q": 1.0}, "advantage": {"scale": "group"}}, judge=Hearing(), changes={"max_steps": 1}
    )
    trainer.train()
    rows = by_row(recorded)
    flipped = np.array([1, 1, 0, 1])
    z = (flipped - flipped.mean()) / (flipped.std(ddof=1) + 1e-4)
    assert [rows["What is two plus two?", place] for place in range(4)] == pytest.approx(list(z), abs=1e-5)


def test_silent_appeals_are_counted_and_change_nothing(tmp_path):
    judge = Hearing(silent=["four", "seven", "5", "8", "9"])
    credit = {"noise": {"correction": "forward", "false_negative": 0.2, "scale": 0.5}, "appeals": {"q": 1.0}}
    trainer, recorded = trained(tmp_path, credit, judge=judge, changes={"max_steps": 1})
    trainer.train()
    log = recorded.logs[0]
    assert (log["corver/appeals_made"], log["corver/appeals_failed"], log["corver/appeals_flipped"]) == (5, 5, 0)
    assert by_row(recorded) == pytest.approx(expected(VERDICTS, "forward", NoiseRates(0, 0.2), 0.5), abs=1e-6)


def test_weighing_appeals_up_gives_the_better_judges_verdicts_in_the_mean(tmp_path):
    credit = {
        "noise": {"correction": "appealed", "scale": 1.0},
        "appeals": {"q": 1.0, "q_accepted": 1.0, "flip": False},
    }
    trainer, recorded = trained(tmp_path, credit, judge=Hearing(), changes={"max_steps": 1})
    trainer.train()
    truth = {"What is two plus two?": (1, 1, 0, 1), "What is three plus four?": (1, 0, 1, 0)}
    assert by_row(recorded) == pytest.approx(expected(truth, "none", NoiseRates(0, 0), 1.0), abs=1e-6)


def test_the_state_goes_on_from_a_checkpoint(tmp_path):
    credit = {"noise": {"correction": "forward"}, "appeals": {"q": 0.5}}
    whole, unbroken = trained(tmp_path / "whole", credit, judge=Hearing(), changes={"max_steps": 4})
    whole.train()
    saving = {"save_strategy": "steps", "save_steps": 2}
    first, _ = trained(tmp_path / "parts", credit, judge=Hearing(), changes={"max_steps": 2} | saving)
    first.train()
    state = json.loads((tmp_path / "parts/checkpoint-2/corver_state.json").read_text())["verifier"]
    assert state["batches"] == 2
    second, resumed = trained(tmp_path / "parts", credit, judge=Hearing(), changes={"max_steps": 4} | saving)
    second.train(resume_from_checkpoint=True)
    assert by_row(resumed, 0) == pytest.approx(by_row(unbroken, 2))
    assert by_row(resumed, 1) == pytest.approx(by_row(unbroken, 3))


def test_a_checkpoint_without_the_verifiers_state_is_refused(tmp_path):
    saving = {"save_strategy": "steps", "save_steps": 2}
    first, _ = trained(tmp_path, {}, changes=saving)
    first.train()
    second, _ = trained(tmp_path, {"noise": {"false_negative": 0.2}}, changes={"max_steps": 4} | saving)
    with pytest.raises(TrainingError, match="the checkpoint is damaged"):
        second.train(resume_from_checkpoint=True)


@pytest.mark.parametrize("scale", ["group", "batch"])
def test_a_later_z_score_is_refused_by_name(tmp_path, scale):
    with pytest.raises(CorrectionUndoneError, match=f"scale_rewards='{scale}'.*z-score"):
        make_trainer(
            tmp_path,
            script,
            QUESTIONS,
            credit=CreditConfig(noise={"false_negative": 0.2}),
            changes={"scale_rewards": scale},
            reward_funcs=[strict],
            sentence_reward=None,
        )


def test_what_does_not_fit_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="appeal_judge"):
        trained(tmp_path, {"appeals": {}})
    with pytest.raises(ConfigError, match="the reward functions are strict, format"):
        trained(tmp_path, {"noise": {"false_negative": 0.1}}, reward_funcs=[strict, format_function()])
    trainer, _ = trained(tmp_path, {"noise": {"false_negative": 0.1, "values": [-1.0, 1.0]}})
    with pytest.raises(TrainingError, match="paid 0, which is neither -1"):
        trainer.train()


def test_cases_come_from_answer_blocks_or_whole_completions():
    row = {"prompt": [{"role": "user", "content": "Two plus two?"}], "answer": "4"}
    text = "<think>Hm.</think> <answer>four</answer>"
    assert appeal_cases([row], [text], reads="answer") == [AppealCase("Two plus two?", ("4",), "four")]
    assert appeal_cases([row], [text], reads="completion") == [AppealCase("Two plus two?", ("4",), text)]
    for nothing in ("no tags", "<answer> </answer>", "<answer>I don't know</answer>"):
        assert appeal_cases([row], [nothing], reads="answer") == [None]
    assert appeal_cases([{"question": "Q", "answers": ["a", "b"]}], ["x"], reads="completion") == [
        AppealCase("Q", ("a", "b"), "x")
    ]
    assert END not in text
