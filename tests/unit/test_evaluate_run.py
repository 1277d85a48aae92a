"""Evaluation: one row a question, resumable, never mixed with answers made otherwise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from corver.config import JudgeConfig, PolicyConfig, RewardConfig
from corver.errors import InputError
from corver.evaluate.questions import Question, read_questions
from corver.evaluate.run import evaluate_policy
from corver.index import Index
from corver.policy.generate import SamplingSettings
from corver.policy.load import Policy, load_policy
from corver.reward.build import build_scorer
from corver.reward.scorer import CooccurrenceReward
from corver.runs import read_jsonl, write_text
from corver.types import Rollout, SentenceScore

KEY = {"model": "tiny", "index": "six documents"}


@pytest.fixture(scope="module")
def policy(tiny_model: Path) -> Policy:
    return load_policy(PolicyConfig(model=str(tiny_model), dtype="float32", device="cpu"))


@pytest.fixture(scope="module")
def questions(tiny_questions: Path) -> list[Question]:
    return read_questions(tiny_questions)


@pytest.fixture(scope="module")
def reward(tiny_index: Path) -> Any:
    with Index.open(tiny_index) as index:
        yield CooccurrenceReward(build_scorer(RewardConfig(), index=index))


@pytest.fixture
def evaluate(policy: Policy, questions: list[Question], reward: Any) -> Any:
    def run(output: Path, **changes: Any) -> list[dict[str, Any]]:
        given: dict[str, Any] = {
            "sentence_reward": reward,
            "reward": RewardConfig(),
            "prompt": "instruct",
            "settings": SamplingSettings(max_tokens=32, batch=3),
            "key": KEY,
        }
        asked = changes.pop("questions", questions)
        return evaluate_policy(policy, asked, output, **given | changes)

    return run


def test_rows_are_complete_and_in_the_order_of_the_questions(
    evaluate: Any, questions: list[Question], tmp_path: Path
) -> None:
    told: list[tuple[str, int, int | None, str]] = []
    rows = evaluate(tmp_path / "raw.jsonl", progress=lambda *report: told.append(report))
    assert [row["id"] for row in rows] == [question.id for question in questions]
    assert told == [("evaluate", done, 8, "answers") for done in (3, 6, 8)]
    for row, question in zip(rows, questions, strict=True):
        assert row["question"] == question.question
        assert row["answers"] == list(question.answers)
        assert row["label"] in ("correct", "wrong", "not_attempted")
        assert 0 < row["tokens"] <= 32
        assert row["cut_off"] is (row["tokens"] == 32 and not row["completion"].endswith("</answer>"))
        for sentence in row["sentences"]:
            assert row["completion"][sentence["start"] : sentence["end"]] == sentence["text"]
    assert any(sentence["count"] for row in rows for sentence in row["sentences"])
    stored = {row["id"]: row for row in read_jsonl(tmp_path / "raw.jsonl")}
    assert [stored[row["id"]] for row in rows] == rows


def test_an_evaluation_that_stopped_goes_on(evaluate: Any, tmp_path: Path) -> None:
    whole = evaluate(tmp_path / "whole.jsonl")

    def stop(stage: str, done: int, total: int | None, unit: str) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    output = tmp_path / "raw.jsonl"
    with pytest.raises(KeyboardInterrupt):
        evaluate(output, progress=stop)
    assert len(read_jsonl(output)) == 3
    output.write_bytes(output.read_bytes() + b'{"id": "q1", "quest')
    asked: list[Rollout] = []

    class Counting:
        def score(self, rollouts: Sequence[Rollout]) -> list[list[SentenceScore]]:
            asked.extend(rollouts)
            return [[] for _ in rollouts]

    rows = evaluate(output, sentence_reward=Counting())
    assert len(asked) == 5
    assert [row["completion"] for row in rows] == [row["completion"] for row in whole]


@pytest.mark.parametrize("key", [{}, {"model": "other", "index": "six documents"}, {**KEY, "prompt": "few_shot"}])
def test_answers_made_otherwise_are_refused(evaluate: Any, tmp_path: Path, key: dict[str, str]) -> None:
    output = tmp_path / "raw.jsonl"
    evaluate(output)
    before = output.read_bytes()
    with pytest.raises(InputError, match="another"):
        evaluate(output, key=key)
    assert output.read_bytes() == before
    evaluate(output)


def test_answers_of_unknown_origin_are_refused(evaluate: Any, tmp_path: Path) -> None:
    output = tmp_path / "raw.jsonl"
    evaluate(output)
    output.with_suffix(".key.json").unlink()
    with pytest.raises(InputError, match="does not say"):
        evaluate(output)


def test_answers_to_other_questions_are_refused(evaluate: Any, questions: list[Question], tmp_path: Path) -> None:
    output = tmp_path / "raw.jsonl"
    evaluate(output, questions=questions[:4])
    with pytest.raises(InputError, match="other questions"):
        evaluate(output, questions=questions[2:])
    assert len(evaluate(output)) == 8


@pytest.mark.parametrize("change", [{"question": "Another one?"}, {"answers": ["other"]}])
def test_answers_to_a_question_that_was_changed_are_refused(
    change: dict[str, Any], evaluate: Any, tmp_path: Path
) -> None:
    output = tmp_path / "raw.jsonl"
    rows = evaluate(output)
    write_text(output, "".join(json.dumps(row | change) + "\n" for row in rows))
    with pytest.raises(InputError, match="other questions"):
        evaluate(output)


@pytest.mark.parametrize("lacking", ["id", "label", "sentences"])
def test_rows_that_are_no_answers_are_named(lacking: str, evaluate: Any, tmp_path: Path) -> None:
    output = tmp_path / "raw.jsonl"
    rows = evaluate(output)
    del rows[1][lacking]
    write_text(output, "".join(json.dumps(row) + "\n" for row in rows))
    before = output.read_bytes()
    with pytest.raises(InputError, match=rf"raw\.jsonl:2: .*has no {lacking}"):
        evaluate(output)
    assert output.read_bytes() == before


def test_the_judge_rule_is_the_configured_one(evaluate: Any, questions: list[Question], tmp_path: Path) -> None:
    """Under the published rule a part of the gold is right too."""
    gold = [Question(q.id, q.question, ("Bernstadt", "Warsaws", "Ulmen", "Londoners")) for q in questions]
    own = evaluate(tmp_path / "words.jsonl", questions=gold)
    paper = evaluate(tmp_path / "paper.jsonl", questions=gold, reward=RewardConfig(judge=JudgeConfig(rule="paper")))
    assert not any(row["label"] == "correct" for row in own)
    assert any(row["label"] == "correct" for row in paper)


def test_a_question_without_a_gold_is_ungraded(evaluate: Any, questions: list[Question], tmp_path: Path) -> None:
    unanswered = [Question("u", questions[0].question, ())]
    (row,) = evaluate(tmp_path / "raw.jsonl", questions=unanswered)
    assert row["label"] == "ungraded"


def test_the_sentence_that_the_limit_cut_is_not_scored(evaluate: Any, tmp_path: Path) -> None:
    rows = evaluate(tmp_path / "raw.jsonl", settings=SamplingSettings(max_tokens=4, batch=8))
    for row in rows:
        if row["cut_off"]:
            assert row["sentences"] == []
    assert any(row["cut_off"] for row in rows)


def test_the_key_is_readable(evaluate: Any, tmp_path: Path) -> None:
    evaluate(tmp_path / "raw.jsonl", questions=[Question("a", "Where?", ("Ulm",))])
    assert json.loads((tmp_path / "raw.key.json").read_text()) == KEY
