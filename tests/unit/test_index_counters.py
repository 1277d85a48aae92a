"""A path names a counter: a folder, or a YAML file that describes an engine. Wrong descriptions are one line."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from typer.testing import CliRunner

from corver.cli.app import app
from corver.errors import ConfigError, CorverError, UsageError
from corver.index.counters import open_counter
from corver.index.query import Index
from corver.types import Count
from loopback import Serve

WORDS = {"<unk>": 0, "curie": 1, "Curie": 2, "warsaw": 3, "Warsaw": 4, "CURIE": 5, "WARSAW": 6}


def tokenizer_file(folder: Path) -> Path:
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def description(folder: Path, text: str) -> Path:
    path = folder / "counter.yaml"
    path.write_text(text)
    return path


def test_a_folder_is_an_index(tiny_index: Path) -> None:
    with open_counter(tiny_index) as counter:
        assert isinstance(counter, Index)


def test_a_web_index_counts_from_the_command_line(serve: Serve, tmp_path: Path) -> None:
    answer = {"count": 7, "approx": True}
    server = serve(lambda asked, _: (200, {}, json.dumps(answer).encode()))
    path = description(tmp_path, f"engine: infinigram_web\nindex: tiny\nurl: {server.url}\nspellings: as_written\n")
    result = CliRunner().invoke(app, ["count", str(path), "curie", "warsaw", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {
        "count": 7, "capped": False, "anchor": "curie", "window": 1000, "approx": True,
    }  # fmt: skip
    assert {asked["index"] for asked in server.asked} == {"tiny"}


def test_a_web_index_scores_and_a_broken_one_fails_the_sentence(serve: Serve, tmp_path: Path) -> None:
    def answer(asked: dict[str, Any], _: int) -> tuple[int, dict[str, str], bytes]:
        if "lisbon" in asked["query"].lower():
            return 400, {}, b'{"error": "refused"}'
        return 200, {}, b'{"count": 30, "approx": false}'

    server = serve(answer)
    path = description(tmp_path, f"engine: infinigram_web\nindex: tiny\nurl: {server.url}\nattempts: 1\n")
    texts = tmp_path / "texts.txt"
    texts.write_text("Marie Curie was born in Warsaw.\nMarie Curie was born in Lisbon.\n")
    result = CliRunner().invoke(app, ["score", str(texts), "--index", str(path)])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["sentences"][0]["status"] for row in rows] == ["supported", "failed"]
    assert [row["sentences"][0]["reward"] for row in rows] == [0.1, None]
    assert result.exit_code == 1


def test_token_ids_come_from_the_tokenizer_file(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda asked, _: (200, {}, b'{"count": 5, "approx": false}'))
    tokenizer_file(tmp_path)
    path = description(tmp_path, f"engine: infinigram_web\nindex: tiny\nurl: {server.url}\ntokenizer: tokenizer.json\n")
    with open_counter(path) as counter:
        assert counter.count_many([["curie", "warsaw"]]) == [Count(5, False, "curie")]
    assert server.asked[-1]["query_ids"] == [[[1], [2], [5]], [[3], [4], [6]]]


def test_an_engine_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}

    class Engine:
        def __init__(self, **options: Any) -> None:
            made.update(options)

        def find(self, input_ids: Sequence[int]) -> Any:
            return {"cnt": 4, "segment_by_shard": [(0, 4)]}

        def count_cnf(self, **question: Any) -> Any:
            return {"count": 2, "approx": False}

    library = ModuleType("infini_gram.engine")
    library.InfiniGramEngine = Engine  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "infini_gram", ModuleType("infini_gram"))
    monkeypatch.setitem(sys.modules, "infini_gram.engine", library)
    folder = tmp_path / "suffixes"
    folder.mkdir()
    for name in ("tokenized.0", "table.0", "offset.0"):
        (folder / name).write_bytes(b"x")
    tokenizer_file(tmp_path)
    path = description(
        tmp_path,
        "engine: infinigram\ndirectory: suffixes\ntokenizer: tokenizer.json\neos_token_id: 2\nspellings: as_written\n",
    )
    with open_counter(path) as counter:
        assert counter.count_many([["curie", "warsaw"]]) == [Count(2, False, "curie")]
    assert made["index_dir"] == str(folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("engine: lucene\n", ["lucene"]),
        ("index: tiny\n", ["engine"]),
        ("- 1\n", ["counter.yaml"]),
        ("", ["counter.yaml"]),
        ("engine: [\n", ["YAML"]),
        ("engine: infinigram_web\n", ["index"]),
        ("engine: infinigram_web\nindex: a\nwindow: 3\n", ["window"]),
        ("engine: infinigram_web\nindex: a\nthreads: 0\n", ["threads"]),
        ("engine: infinigram_web\nindex: a\nindex: b\n", ["line 3: index is written twice"]),
        ("engine: infinigram_web\nindex: a\nurl: ftp://x\n", ["address"]),
        ("engine: infinigram_web\nindex: a\ntokenizer: no.json\n", ["no.json"]),
        ("engine: infinigram\ndirectory: x\ntokenizer: counter.yaml\neos_token_id: 2\n", ["tokenizer.json"]),
    ],
)
def test_a_wrong_description_is_one_line_and_wrong_use(tmp_path: Path, text: str, words: list[str]) -> None:
    path = description(tmp_path, text)
    with pytest.raises(CorverError) as caught, open_counter(path):
        pass
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message
    assert isinstance(caught.value, UsageError)


def test_a_missing_description(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such configuration file"), open_counter(tmp_path / "none.yml"):
        pass
