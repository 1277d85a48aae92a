"""The learning zone: searched once, continued where it stopped, never mixed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_server import Sent, chat, chat_server
from corver.config import EndpointConfig, PolicyConfig
from corver.endpoint import ChatEndpoint
from corver.errors import EndpointError, InputError
from corver.evaluate.questions import Question, read_questions
from corver.policy.generate import SamplingSettings
from corver.policy.load import Policy, load_policy
from corver.runs import read_jsonl
from corver.train.zone import ZoneRow, find_zone, in_zone, read_zone
from tiny import QUESTIONS, good_completion

SETTINGS = SamplingSettings(temperature=1.0, top_p=0.95, max_tokens=28, samples=4, batch=8, seed=5)


@pytest.fixture(scope="module")
def policy(tiny_model: Path) -> Policy:
    return load_policy(PolicyConfig(model=str(tiny_model), dtype="float32", device="cpu"))


@pytest.fixture(scope="module")
def questions(tiny_questions: Path) -> list[Question]:
    return read_questions(tiny_questions)


class StopError(Exception):
    """Stands for a kill."""


def search(policy: Policy | ChatEndpoint, questions: list[Question], output: Path, **changes: Any) -> list[ZoneRow]:
    return find_zone(policy, questions, output, **{"prompt": "instruct", "settings": SETTINGS, **changes})


def test_a_search_counts_right_and_well_formed_answers(
    policy: Policy, questions: list[Question], tmp_path: Path
) -> None:
    output = tmp_path / "zone.jsonl"
    rows = search(policy, questions, output)
    assert [row.id for row in rows] == [question.id for question in questions]
    assert all(row.samples == 4 and 0 <= row.correct <= 4 and 0 <= row.well_formed <= 1 for row in rows)
    assert any(row.well_formed > 0 for row in rows)
    assert sorted(read_zone(output), key=lambda row: row.id) == rows


def test_a_search_that_stopped_goes_on(policy: Policy, questions: list[Question], tmp_path: Path) -> None:
    output = tmp_path / "zone.jsonl"
    told: list[int] = []

    def stop(stage: str, done: int, total: int | None, unit: str) -> None:
        if done >= 4:
            raise StopError

    def tell(stage: str, done: int, total: int | None, unit: str) -> None:
        assert (stage, total, unit) == ("zone", 8, "questions")
        told.append(done)

    with pytest.raises(StopError):
        search(policy, questions, output, progress=stop)
    first = read_jsonl(output)
    assert len(first) == 4
    with output.open("ab") as file:
        file.write(b'{"id": "q7", "corr')
    rows = search(policy, questions, output, progress=tell)
    assert told == [6, 8]
    assert read_jsonl(output)[:4] == first
    assert len(read_jsonl(output)) == len(rows) == 8
    before = output.read_bytes()
    assert search(policy, questions, output) == rows
    assert output.read_bytes() == before


def test_progress_counts_the_questions_asked_for(policy: Policy, questions: list[Question], tmp_path: Path) -> None:
    output = tmp_path / "zone.jsonl"
    search(policy, questions[:4], output)
    told: list[int] = []
    search(policy, questions[2:6], output, progress=lambda _, done, total, unit: told.append(done))
    assert told == [4]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"settings": SamplingSettings(temperature=1.0, max_tokens=28, samples=2)}, "samples"),
        ({"settings": SamplingSettings(temperature=0.5, top_p=0.95, max_tokens=28, samples=4)}, "temperature"),
        ({"prompt": "few_shot"}, "prompt"),
        ({"judge_rule": "paper"}, "judge"),
        ({"template": {"enable_thinking": True}}, "template"),
    ],
)
def test_rows_made_otherwise_are_not_continued(
    policy: Policy, questions: list[Question], tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    output = tmp_path / "zone.jsonl"
    search(policy, questions[:2], output)
    with pytest.raises(InputError, match=named):
        search(policy, questions, output, **changes)


def test_other_weights_of_the_same_name_are_another_model(
    policy: Policy, questions: list[Question], tmp_path: Path
) -> None:
    output = tmp_path / "zone.jsonl"
    search(policy, questions[:2], output)
    with pytest.raises(InputError, match="weights"):
        search(replace(policy, weights="0123456789abcdef"), questions, output)


def test_a_file_that_does_not_say_how_it_was_made_is_taken_by_its_samples(
    policy: Policy, questions: list[Question], tmp_path: Path
) -> None:
    output = tmp_path / "zone.jsonl"
    output.write_text('{"id": "q0", "correct": 3, "samples": 4}\n')
    assert search(policy, questions[:1], output) == [ZoneRow("q0", 3, 4, 0.0)]
    with pytest.raises(InputError, match="number of samples"):
        search(policy, questions, output, settings=SamplingSettings(samples=8))


def rows_of(*correct: int, samples: int = 16) -> tuple[list[Question], list[ZoneRow]]:
    questions = [Question(f"q{number}", f"Question {number}?", ("x",)) for number in range(len(correct))]
    rows = [ZoneRow(question.id, right, samples, 1.0) for question, right in zip(questions, correct, strict=True)]
    return questions, rows


def test_bounds_are_inclusive() -> None:
    questions, rows = rows_of(0, 1, 8, 15, 16)
    assert [q.id for q in in_zone(questions, rows, bounds=(1, 15))] == ["q1", "q2", "q3"]
    assert [q.id for q in in_zone(questions, rows, bounds=(0, 16))] == ["q0", "q1", "q2", "q3", "q4"]
    assert [q.id for q in in_zone(questions, rows, bounds=(8, 8))] == ["q2"]


def test_anchors_are_questions_always_right_and_come_once() -> None:
    questions, rows = rows_of(16, 1, 16, 0, 16)
    assert [q.id for q in in_zone(questions, rows, bounds=(1, 15), anchors=2)] == ["q1", "q0", "q2"]
    assert [q.id for q in in_zone(questions, rows, bounds=(1, 16), anchors=9)] == ["q0", "q1", "q2", "q4"]
    few, right = rows_of(4, 4, samples=4)
    assert [q.id for q in in_zone(few, right, bounds=(1, 3), anchors=1)] == ["q0"]


def test_questions_without_a_row_are_left_out_and_nothing_left_is_an_error() -> None:
    questions, rows = rows_of(0, 16, 5)
    assert [q.id for q in in_zone(questions, rows[2:], bounds=(1, 15))] == ["q2"]
    for bounds in ((1, 4), (15, 1)):
        with pytest.raises(InputError, match=f"{bounds[0]} to {bounds[1]}"):
            in_zone(questions, rows, bounds=bounds)


@pytest.mark.parametrize(
    "row",
    [
        '{"id": "a", "correct": 1e999, "samples": 2}',
        '{"id": "a", "correct": 1}',
        '{"correct": 1, "samples": 2}',
        '{"id": 1, "correct": "x", "samples": 2}',
        "[]",
    ],
)
def test_broken_rows_are_named(tmp_path: Path, row: str) -> None:
    path = tmp_path / "zone.jsonl"
    path.write_text('{"id": "z", "correct": 1, "samples": 2}\n' + row + "\n")
    with pytest.raises(InputError, match=r"zone\.jsonl:2"):
        read_zone(path)


def test_no_file_names_the_cure(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="corver zone"):
        read_zone(tmp_path / "none.jsonl")


@pytest.mark.parametrize(("rest", "rows"), [('{"id": "b", "cor', 1), ('{"id": "b", "correct": 0, "samples": 2}', 2)])
def test_reading_changes_no_file(tmp_path: Path, rest: str, rows: int) -> None:
    path = tmp_path / "zone.jsonl"
    text = '{"id": "a", "correct": 1, "samples": 2}\n' + rest
    path.write_text(text)
    assert len(read_zone(path)) == rows
    assert path.read_text() == text
    assert len(read_zone(path, mend=True)) == rows
    assert path.read_text().endswith("}\n")
    assert len(path.read_text().splitlines()) == rows


def test_rows_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "zone.jsonl"
    path.write_text(json.dumps({"id": 7, "correct": 1, "samples": 2, "well_formed": None}) + "\n")
    assert read_zone(path) == [ZoneRow("7", 1, 2, 0.0)]


# -- a server's model --------------------------------------------------------------------------------------------------


def endpoint_of(server: Any, **more: Any) -> ChatEndpoint:
    return ChatEndpoint(EndpointConfig(base_url=server.url, model="served", retries=0, concurrency=2, **more))


def answering(body: dict[str, Any], number: int) -> Any:
    """Half of the samples are right, whatever is asked."""
    question = body["messages"][-1]["content"]
    right = next(answer for asked, answer, _ in QUESTIONS if asked == question)
    texts = [good_completion("It is known.", right if place % 2 else "Atlantis") for place in range(body["n"])]
    return chat(*texts)


def test_a_search_on_a_server(questions: list[Question], tmp_path: Path) -> None:
    output = tmp_path / "zone.jsonl"
    with chat_server(answering) as server:
        rows = search(endpoint_of(server), questions, output)
        body = server.asked[0]
    assert rows == [ZoneRow(question.id, 2, 4, 1.0) for question in questions]
    assert (body["n"], body["temperature"], body["top_p"], body["max_tokens"]) == (4, 1.0, 0.95, 28)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert json.loads(output.with_suffix(".key.json").read_text())["model"] == "served"


def test_questions_that_a_server_leaves_without_an_answer_are_asked_again(
    questions: list[Question], tmp_path: Path
) -> None:
    output = tmp_path / "zone.jsonl"

    def failing(body: dict[str, Any], number: int) -> Any:
        lost = body["messages"][-1]["content"] in (questions[1].question, questions[4].question)
        return Sent({"error": "no"}, status=400) if lost else answering(body, number)

    with (
        chat_server(failing) as server,
        pytest.raises(EndpointError, match=r"2 of 8 questions got no answer \(status\)"),
    ):
        search(endpoint_of(server), questions, output)
    assert len(read_jsonl(output)) == 6
    with chat_server(answering) as server:
        rows = search(endpoint_of(server), questions, output)
        assert len(server.asked) == 2
    assert len(rows) == len(read_jsonl(output)) == 8


def test_a_policys_rows_are_not_continued_by_a_server(
    policy: Policy, questions: list[Question], tmp_path: Path
) -> None:
    output = tmp_path / "zone.jsonl"
    search(policy, questions[:2], output)
    with chat_server(answering) as server, pytest.raises(InputError, match="model"):
        search(endpoint_of(server), questions, output)
