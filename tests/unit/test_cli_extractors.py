"""`corver score` with every extractor, from the command line to the verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from chat_server import Sent, chat, chat_server
from corver.cli.app import app

CURIE = "Marie Curie was born in Warsaw."


def run(index: Path, *words: str, stdin: str = CURIE) -> Result:
    return CliRunner().invoke(app, ["score", "--index", str(index), *words], input=stdin, prog_name="corver")


def sentence(result: Result) -> dict[str, Any]:
    (line,) = result.stdout.splitlines()
    (found,) = json.loads(line)["sentences"]
    return dict(found)


@pytest.mark.parametrize("extractor", ["rules", "spacy"])
def test_rules_and_spacy(tiny_index: Path, extractor: str) -> None:
    result = run(tiny_index, "--extractor", extractor)
    assert result.exit_code == 0
    assert sentence(result)["pair"] == {"head": "Marie Curie", "relation": "was born in", "tail": "Warsaw"}
    assert sentence(result)["status"] == "supported"


def test_quco_behind_an_address(tiny_index: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-secret")
    (tmp_path / "prompt").write_text("Triplets of: {}")
    words = ("--extractor", "quco", "--template", str(tmp_path / "prompt"), "--cache", str(tmp_path / "cache"))
    with chat_server(lambda body, number: chat('[["Curie", "from", "Warsaw"]]')) as server:
        address = ("--endpoint", server.url, "--model", "m", "--api-key-file", str(tmp_path / "key"))
        first, second = (run(tiny_index, *words, *address) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert sentence(first) == sentence(second)
    assert sentence(first)["words"] == ["curie", "warsaw"]
    (asked,) = server.asked
    assert asked["messages"][0]["content"] == f"Triplets of: {CURIE}"
    assert server.headers[0]["authorization"] == "Bearer sk-secret"
    assert "1 requests, 10 tokens read, 3 written" in first.stderr
    assert "0 requests" in second.stderr


def test_an_answer_that_cannot_be_read_is_a_failure(tiny_index: Path) -> None:
    with chat_server(lambda body, number: chat("no idea")) as server:
        result = run(tiny_index, "--extractor", "quco", "--endpoint", server.url, "--model", "m")
    assert result.exit_code == 1
    assert (sentence(result)["status"], sentence(result)["reward"]) == ("failed", None)
    assert "no list" in sentence(result)["reason"]


def test_a_cut_answer_says_so_beside_its_verdict(tiny_index: Path) -> None:
    cut = chat('[["Curie", "from", "Warsaw"], ["Curie', finish="length")
    with chat_server(lambda body, number: cut) as server:
        result = run(tiny_index, "--extractor", "quco", "--endpoint", server.url, "--model", "m")
    assert result.exit_code == 0
    assert sentence(result)["status"] == "supported"
    assert "cut off" in sentence(result)["reason"]


def test_a_model_that_is_not_served_ends_the_command_at_once(tiny_index: Path) -> None:
    with chat_server(lambda body, number: chat("[]"), models=Sent({"data": [{"id": "x"}]})) as server:
        result = run(tiny_index, "--extractor", "quco", "--endpoint", server.url)
    assert result.exit_code == 1
    assert "serves no model 'ZhishanQ/QuCo-extractor-0.5B', but x" in result.stderr
    assert not server.asked
    assert "Traceback" not in result.stderr


def test_quco_on_this_machine(tiny_index: Path, tiny_model: Path) -> None:
    result = run(tiny_index, "--extractor", "quco", "--model", str(tiny_model), "--device", "cpu")
    assert result.exit_code == 1  # the tiny model answers, but not with triplets
    assert "the model's answer" in sentence(result)["reason"]


def test_pronouns_questions_and_aliases(tiny_index: Path, tmp_path: Path) -> None:
    text = {"text": "Marie Curie lived. She was born in Warsaw. Warsaw.", "question": "Where was Marie Curie born?"}
    statuses = {}
    for words in ((), ("--no-pronouns",), ("--question-subject",)):
        (line,) = run(tiny_index, *words, stdin=json.dumps(text)).stdout.splitlines()
        statuses[words] = [found["status"] for found in json.loads(line)["sentences"]]
    assert statuses[()][1:] == ["supported", "no_claim"]
    assert statuses[("--no-pronouns",)][1:] == ["no_claim", "no_claim"]
    assert statuses[("--question-subject",)][1:] == ["supported", "supported"]
    (tmp_path / "names.tsv").write_text("Marie Curie\tMadame Curie\n")
    plain = run(tiny_index, stdin="Madame Curie was born in Warsaw.")
    named = run(tiny_index, "--aliases", str(tmp_path / "names.tsv"), stdin="Madame Curie was born in Warsaw.")
    assert (sentence(plain)["status"], sentence(named)["status"]) == ("unsupported", "supported")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--endpoint", "http://localhost:1/v1"), "--endpoint: only the extractor quco"),
        (("--extractor", "spacy", "--cache", "c"), "--cache: only the extractor quco"),
        (("--model", "m"), "--model: the extractor rules has no model"),
        (("--extractor", "quco", "--api-key-file", "k"), "--api-key-file: is the key of --endpoint"),
        (("--extractor", "quco", "--endpoint", "localhost"), "--endpoint: expected an address"),
        (("--extractor", "quco", "--endpoint", "http://u:p@h/v1"), "--endpoint: the address must hold no user"),
        (("--extractor", "quco", "--endpoint", "http://h/v1", "--device", "cpu"), "--device: the server"),
        (("--extractor", "spacy", "--model", ""), "--model: "),
        (("--support", "profile", "--neutral", "nan"), "'--neutral': nan"),
        (("--extractor", "spacy", "--support", "profile"), "support profile finds subjects"),
        (("--rule", "min", "--support", "profile"), "leave rule out"),
        (("--window", "50", "--support", "profile"), "leave window out"),
        (("--question-subject", "--support", "profile"), "leave question_subject out"),
        (("--capped", "--support", "profile"), "--capped: support profile has no levels"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_use(tiny_index: Path, words: tuple[str, ...], told: str) -> None:
    result = run(tiny_index, *words)
    assert result.exit_code == 2
    assert told in result.stderr.replace("Invalid value for ", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--extractor", "spacy", "--model", "en_core_web_none"), "python -m spacy download en_core_web_none"),
        (("--aliases", "none.tsv"), "none.tsv: cannot read the aliases"),
        (("--extractor", "quco", "--template", "none.txt"), "none.txt: cannot read the prompt template"),
        (("--extractor", "quco", "--model", "./none"), "./none: no such folder"),
    ],
)
def test_what_is_missing_is_told_in_one_line(tiny_index: Path, words: tuple[str, ...], told: str) -> None:
    result = run(tiny_index, *words)
    assert result.exit_code in (1, 2)
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
