"""Question sets in the schemas that they are published in."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from corver.errors import InputError
from corver.evaluate.questions import Question, read_questions


def table(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)
    return path


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def only(path: Path) -> Question:
    (question,) = read_questions(path)
    return question


def test_popqa(tmp_path: Path) -> None:
    row = {"id": "7", "subj": "Easy", "question": "Who made Easy?", "possible_answers": '["Ann ""A"" Lee", "Ann"]'}
    row["possible_answers"] = json.dumps(['Ann "A" Lee', "Ann"])
    path = table(tmp_path / "popqa.tsv", {**row, "s_pop": "1381", "o_pop": "9"})
    assert only(path) == Question("7", "Who made Easy?", ('Ann "A" Lee', "Ann"), 1381.0)


def test_simpleqa(tmp_path: Path) -> None:
    path = table(tmp_path / "s.csv", {"metadata": "{}", "problem": "Which year,\nexactly?", "answer": "1912"})
    assert only(path).question == "Which year,\nexactly?"
    assert only(path).answers == ("1912",)


def test_truthfulqa(tmp_path: Path) -> None:
    row = {
        "Type": "Adversarial",
        "Question": "What happens?",
        "Best Answer": "Nothing",
        "Correct Answers": "Nothing; You eat them ",
        "Incorrect Answers": "You die",
    }
    assert only(table(tmp_path / "t.csv", row)).answers == ("Nothing", "You eat them")
    hub = {"question": "What?", "best_answer": "Nothing", "correct_answers": ["Nothing", "Little"]}
    assert only(lines(tmp_path / "t.jsonl", hub)).answers == ("Nothing", "Little")


def test_triviaqa(tmp_path: Path) -> None:
    hub = {"question": "Who?", "question_id": "tc_1", "answer": {"value": "Twain", "aliases": ["Mark Twain", "Twain"]}}
    assert only(lines(tmp_path / "t.jsonl", hub)) == Question("tc_1", "Who?", ("Twain", "Mark Twain"))
    official = {
        "Data": [{"Question": "Who?", "QuestionId": "q", "Answer": {"Value": "Twain", "Aliases": ["M. Twain"]}}]
    }
    path = tmp_path / "official.json"
    path.write_text(json.dumps(official, indent=4), encoding="utf-8")
    assert only(path) == Question("q", "Who?", ("Twain", "M. Twain"))


def test_nq_open_and_webquestions(tmp_path: Path) -> None:
    assert only(lines(tmp_path / "nq.jsonl", {"question": "when", "answer": ["1", "2"]})).answers == ("1", "2")
    web = {"utterance": "who?", "targetValue": '(list (description "Jazmyn \\"J\\" B") (description Ann))'}
    assert only(lines(tmp_path / "web.json", web)).answers == ('Jazmyn "J" B', "Ann")


def test_parquet(tmp_path: Path) -> None:
    rows = [{"question": "Who?", "answer": ["Ann"], "extra": 1}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "q.parquet")
    assert only(tmp_path / "q.parquet").answers == ("Ann",)


def test_subjects_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "q.jsonl", *({"question": "Who made Pilot?", "answers": [name]} for name in ("A", "B", "C"))
    )
    questions = read_questions(path)
    first = questions[0].id
    assert [question.id for question in questions] == [first, f"{first}-2", f"{first}-3"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"question": "q?", "possible_answers": "[broken"}, "not JSON"),
        ({"question": "q?", "possible_answers": '"one"'}, "list of strings"),
        ({"question": "q?", "possible_answers": '["a"]', "s_pop": "many"}, "s_pop"),
        ({"question": "q?", "possible_answers": '["a"]', "s_pop": "-inf"}, "s_pop"),
        ({"question": "q?"}, "answers"),
        ({"other": "q?"}, "no question"),
    ],
)
def test_faults_name_the_row(tmp_path: Path, row: dict[str, str], told: str) -> None:
    path = table(tmp_path / "q.tsv", row)
    with pytest.raises(InputError, match=told) as raised:
        read_questions(path)
    assert str(raised.value).startswith(f"{path}:2: ")


@pytest.mark.parametrize("missing", [float("nan"), "nan", None])
def test_a_popularity_that_is_missing_is_none(tmp_path: Path, missing: Any) -> None:
    (question,) = read_questions(lines(tmp_path / "q.jsonl", {"question": "q?", "answers": ["a"], "s_pop": missing}))
    assert question.popularity is None
