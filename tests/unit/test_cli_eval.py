"""`corver eval`: what it hands on, what it shows, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from chat_server import Sent, chat, chat_server
from corver.cli.app import app

GOOD = "<think>It is known.</think> <answer>Ulm</answer>"


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="corver")


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "q.tsv"
    rows = [f'Q{n}\tWhere is {n}?\t["Ulm"]\t{n}\n' for n in range(4)]
    path.write_text("id\tquestion\tpossible_answers\ts_pop\n" + "".join(rows))
    return path


def test_the_help_names_the_sets_that_are_read_as_published() -> None:
    told = run("eval", "--help").stdout
    for name in ("PopQA", "SimpleQA", "TruthfulQA", "TriviaQA", "NQ-Open", "WebQuestions"):
        assert name in told


def test_the_table_and_the_file(questions: Path, tmp_path: Path) -> None:
    with chat_server(lambda body, number: chat(GOOD)) as server:
        result = run("eval", "m", "--endpoint", server.url, "--questions", str(questions), "--bootstrap", "100")
    assert result.exit_code == 0, result.output
    assert "accuracy              100.0 % [51.0, 100.0]" in result.stdout
    assert "popularity 4: 3 to 3" in result.stdout
    assert "4 questions, 95 % intervals" in result.stdout
    assert len((tmp_path / "m-q.jsonl").read_text().splitlines()) == 4


def test_json_and_samples(questions: Path, tmp_path: Path) -> None:
    with chat_server(lambda body, number: chat(*[GOOD, "no", "no", GOOD][: body.get("n", 1)])) as server:
        words = ["eval", "m", "--endpoint", server.url, "--questions", str(questions), "--bootstrap", "100"]
        result = run(*words, "--samples", "4", "--at", "2", "--judge", "words", "--json", "--output", "deep/a.jsonl")
        assert server.asked[0]["temperature"] == 0.7
    found = json.loads(result.stdout)
    assert (found["questions"], found["samples"], found["judge"]) == (4, 4, "words")
    assert found["summary"]["accuracy"]["value"] == 0.5
    assert found["pass_at"] == {
        "2": {"value": pytest.approx(5 / 6), "low": pytest.approx(5 / 6), "high": pytest.approx(5 / 6)}
    }
    assert [band["questions"] for band in found["popularity"]] == [1, 1, 1, 1]


def test_a_model_on_this_machine(tiny_model: Path, tiny_index: Path, tiny_questions: Path, tmp_path: Path) -> None:
    words = ["--questions", str(tiny_questions), "--split", "heldout", "--index", str(tiny_index), "--dtype", "float32"]
    output = ["--max-tokens", "16", "--bootstrap", "100", "--output", str(tmp_path / "a.jsonl")]
    result = run("eval", str(tiny_model), *words, *output, "--device", "cpu")
    assert result.exit_code == 0, result.output
    assert "mean sentence reward" in result.stdout
    assert "3 questions" in result.stdout


def test_answers_that_could_not_be_had_are_told_and_fail(questions: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> Sent:
        return chat(GOOD) if "3" in body["messages"][-1]["content"] else Sent({"error": "no"}, status=400)

    with chat_server(answer) as server:
        result = run("eval", "m", "--endpoint", server.url, "--questions", str(questions), "--bootstrap", "100")
    assert result.exit_code == 1
    assert "3 answers could not be had (3 status)" in result.stderr
    assert "1 questions" in result.stdout


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["--samples", "2", "--temperature", "0"], "same answer", 2),
        (["--samples", "2", "--at", "3"], "Pass@k", 2),
        (["--endpoint", "localhost:8000"], "address", 2),
        (["--endpoint", "http://127.0.0.1:9/v1", "--adapter", "a"], "--adapter", 2),
        (["--endpoint", "http://127.0.0.1:9/v1", "--gguf-file", "a"], "--gguf-file goes with a model on this", 2),
        (["--endpoint", "http://127.0.0.1:9/v1", "--dtype", "float16"], "--dtype goes with a model on this", 2),
        (["--api-key-file", "key"], "--endpoint", 2),
        (["--output", "."], "is a folder", 1),
        (["--questions", "none.jsonl"], "no such file", 1),
        (["--adapter", "nowhere"], "no adapter", 1),
        (["--index", "nowhere"], "nowhere", 1),
    ],
)
def test_faults_are_one_line(words: list[str], told: str, code: int, questions: Path, tiny_model: Path) -> None:
    result = run("eval", str(tiny_model), "--questions", str(questions), *words)
    assert result.exit_code == code, result.output
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
