"""`corver score`: what goes in comes out in order, good or bad, a batch at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from corver.cli import score
from corver.cli.app import app
from corver.errors import LookupFailedError
from corver.reward.scorer import Scorer
from corver.types import Count, Query


class TinyCorpus:
    """A counter that knows one pair, and fails on one word."""

    def __init__(self) -> None:
        self.asked: list[list[Query]] = []
        self.caps: set[int | None] = set()

    def count_many(self, queries: Sequence[Query], *, window: int = 1000, cap: int | None = None) -> list[Count]:
        self.asked.append(list(queries))
        self.caps.add(cap)
        if any("atlantis" in query for query in queries):
            raise LookupFailedError("the sea took it")
        return [Count(57 if {"curie", "warsaw"} <= set(query) else 0, False, str(query[0])) for query in queries]

    def fingerprint(self) -> str:
        return "tiny"


@pytest.fixture
def corpus(monkeypatch: pytest.MonkeyPatch) -> TinyCorpus:
    tiny = TinyCorpus()

    @contextmanager
    def scorer(index: Path, reward: Any, *, exact: bool) -> Iterator[Scorer]:
        assert index == Path("idx")
        yield Scorer(index=tiny, window=reward.window, rule=reward.rule, exact_counts=exact)

    monkeypatch.setattr(score, "_scorer", scorer)
    return tiny


def run(*words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(app, ["score", "--index", "idx", *words], input=stdin, prog_name="corver")


def rows(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


TRUE = "Marie Curie was born in Warsaw."
FALSE = "Marie Curie was born in Lisbon."


def test_a_text_becomes_a_row_with_the_public_fields(corpus: TinyCorpus) -> None:
    result = run(stdin=f"{TRUE}\n".encode())
    assert result.exit_code == 0
    (row,) = rows(result)
    assert row["text"] == TRUE
    (sentence,) = row["sentences"]
    assert list(sentence) == [
        "start", "end", "text", "status", "pair", "words", "count", "capped", "level", "reward",
    ]  # fmt: skip
    assert sentence["start"] == 0
    assert sentence["end"] == len(TRUE)
    assert sentence["status"] == "supported"
    assert sentence["words"] == ["curie", "marie", "warsaw"]
    assert (sentence["count"], sentence["level"], sentence["reward"]) == (57, 3, 0.1)
    assert corpus.caps == {None}
    assert result.stderr == "corver: scored 1 text: 1 supported\n"


def test_capped_counts_stop_at_the_top_level(corpus: TinyCorpus) -> None:
    assert run("--capped", stdin=TRUE.encode()).exit_code == 0
    assert corpus.caps == {20}


def test_json_lines_keep_their_order_and_their_ids(corpus: TinyCorpus) -> None:
    lines = [
        {"id": "a", "text": TRUE},
        {"id": {"n": 1}, "completion": f"<think>{FALSE}</think><answer>Lisbon</answer>"},
        {"text": ""},
        {"id": 0, "completion": [{"role": "assistant", "content": TRUE}], "question": "Where?", "answers": ["Warsaw"]},
    ]
    result = run(stdin="".join(json.dumps(line) + "\n" for line in lines).encode())
    assert result.exit_code == 0
    first, second, third, fourth = rows(result)
    assert first["id"] == "a"
    assert second["id"] == {"n": 1}
    assert [sentence["text"] for sentence in second["sentences"]] == [FALSE, "Lisbon"]
    assert second["sentences"][0]["status"] == "unsupported"
    assert third == {"scorer": first["scorer"], "text": "", "sentences": []}
    assert (fourth["id"], fourth["question"]) == (0, "Where?")


def test_a_bad_line_keeps_its_place_and_costs_the_exit_code(corpus: TinyCorpus) -> None:
    data = b'{"text": "A."}\n{"text": 3}\nnonsense\n{"text": "\xff"}\n{"text": "B."}\n'
    result = run(stdin=data)
    assert result.exit_code == 1
    assert [row.get("text", row.get("line")) for row in rows(result)] == ["A.", 2, 3, 4, "B."]
    assert all(set(row) == {"line", "error"} for row in rows(result)[1:4])
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    assert errors[0] == 'corver: error: standard input:2: "text" is a number, expected a string'
    assert len(errors) == 3


def test_many_bad_lines_are_summed_up(corpus: TinyCorpus) -> None:
    result = run(stdin=b'{"text": "A."}\n' + b"x\n" * 25)
    assert result.exit_code == 1
    assert len(rows(result)) == 26
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    assert len(errors) == 11
    assert "25 lines could not be read" in errors[-1]


def test_a_sentence_that_failed_is_null_and_costs_the_exit_code(corpus: TinyCorpus) -> None:
    result = run(stdin=f"{TRUE}\nAda Lovelace was born in Atlantis.\n".encode())
    assert result.exit_code == 1
    good, bad = rows(result)
    assert good["sentences"][0]["reward"] == 0.1
    assert bad["sentences"][0]["status"] == "failed"
    assert bad["sentences"][0]["reward"] is None
    assert "1 sentences could not be scored" in result.stderr


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"", "is empty"), (b"\n\n", "is empty"), (b"\x00\x01\x02" * 100, "is binary"), (b"\x1f\x8b\x08", "gzip")],
)
def test_input_that_is_no_text_is_one_line(corpus: TinyCorpus, data: bytes, says: str) -> None:
    result = run(stdin=data)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("corver: error: standard input: ")
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_line_of_a_megabyte_is_a_text_like_any_other(corpus: TinyCorpus) -> None:
    text = f"{TRUE} {'and so on, ' * 100_000}until now."
    result = run(stdin=text.encode())
    assert result.exit_code == 0
    (row,) = rows(result)
    assert [sentence["end"] - sentence["start"] > 1_000_000 for sentence in row["sentences"]] == [False, True]


def test_a_text_that_utf8_cannot_hold_comes_back_escaped(corpus: TinyCorpus) -> None:
    result = run(stdin=b'{"text": "lone \\ud800 surrogate."}\n')
    assert result.exit_code == 0
    assert rows(result)[0]["text"] == "lone \ud800 surrogate."


def test_reading_stays_ahead_of_writing_by_one_batch_at_most(
    corpus: TinyCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the input, memory holds one batch."""
    written = 0
    ahead = []
    whole = score._batches

    def counted(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
        read = 0

        def seen() -> Iterator[Any]:
            nonlocal read
            for item in items:
                read += 1
                ahead.append(read - written)
                yield item

        for chunk in whole(seen(), size):
            yield chunk
            nonlocal written
            written += len(chunk)

    monkeypatch.setattr(score, "_batches", counted)
    result = run("--batch", "8", stdin=b"A sentence.\n" * 1000)
    assert result.exit_code == 0
    assert len(rows(result)) == 1000
    assert max(ahead) == 8


def test_long_texts_make_small_batches() -> None:
    items = [score.InputText(line, "x" * 1_500_000) for line in range(1, 8)]
    assert [len(chunk) for chunk in score._batches(items, 256)] == [3, 3, 1]


def test_the_output_file_appears_whole_or_not_at_all(corpus: TinyCorpus, tmp_path: Path) -> None:
    out = tmp_path / "scores.jsonl"
    out.write_text("old\n")
    refused = run("--output", str(out), stdin=b"\x00")
    assert refused.exit_code == 1
    assert out.read_text() == "old\n"
    result = run("--output", str(out), stdin=f"{TRUE}\n".encode())
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads(out.read_text())["text"] == TRUE
    assert [path.name for path in tmp_path.iterdir()] == ["scores.jsonl"]


def test_a_file_can_be_scored_onto_itself(corpus: TinyCorpus, tmp_path: Path) -> None:
    both = tmp_path / "texts.jsonl"
    both.write_text('{"text": "A."}\n' * 600)
    assert run(str(both), "--output", str(both)).exit_code == 0
    assert len(both.read_text().splitlines()) == 600
    assert json.loads(both.read_text().splitlines()[0]).keys() == {"scorer", "text", "sentences"}


def test_an_output_that_cannot_be_written_is_one_line(corpus: TinyCorpus, tmp_path: Path) -> None:
    for target in (tmp_path, tmp_path / "no" / "out"):
        result = run("--output", str(target), stdin=b"A.")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(f"corver: error: {target}: ")
        assert result.stderr.count("\n") == 1


def test_bad_lines_do_not_keep_the_good_ones_out_of_the_file(corpus: TinyCorpus, tmp_path: Path) -> None:
    out = tmp_path / "scores.jsonl"
    result = run("--output", str(out), stdin=b'{"text": "A."}\n[]\n')
    assert result.exit_code == 1
    assert [set(json.loads(line)) for line in out.read_text().splitlines()] == [
        {"scorer", "text", "sentences"},
        {"line", "error"},
    ]
