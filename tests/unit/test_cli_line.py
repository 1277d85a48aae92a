"""The real line through the command line: build, describe, verify, count, score, on a real index."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner, Result

import corver
from corver.cli.app import app
from corver.cli.index import SourceFormat

DOCUMENTS = (
    ("Marie Curie", "Marie Curie was born in Warsaw in 1867. Curie left Warsaw for Paris. She discovered polonium."),
    ("Warsaw", "Warsaw is the capital of Poland. Marie Curie came from Warsaw."),
    ("Lisbon", "Lisbon lies at the mouth of the Tagus. The New York Times wrote of it."),
    ("Titles", "Mission: Impossible, Guns N' Roses, 36\" vanity, Portland, OR, łódź and 1,000 more."),
)


def run(*words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(app, list(words), input=stdin, prog_name="corver")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "docs.jsonl"
    rows = [{"title": title, "text": text} for title, text in DOCUMENTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, {"title": "Nothing", "text": ""}]))
    return path


@pytest.fixture(scope="module")
def index(corpus: Path) -> str:
    folder = corpus.parent / "index"
    result = run("index", "build", str(corpus), "--output", str(folder), "--workers", "1")
    assert result.exit_code == 0, result.stderr
    foreseen, read = result.stderr.splitlines()
    assert re.fullmatch(r"corver: about \d+ words, to take [\d.]+ MiB of memory and [\d.]+ K?i?B of disk", foreseen)
    assert read == "corver: read 4 documents; left out: 1 empty"
    assert "documents    4\n" in result.stdout
    assert "1 empty" in result.stdout
    return str(folder)


def test_the_formats_are_those_of_the_corpus_readers() -> None:
    from corver.corpus.opening import FormatChoice

    assert get_args(SourceFormat) == get_args(FormatChoice)


def test_info_is_the_same_for_people_and_machines(index: str, corpus: Path) -> None:
    facts = json.loads(run("index", "info", index, "--json").stdout)
    assert facts["documents"] == facts["read"]["documents"] == 4
    assert facts["read"]["empty"] == 1
    assert facts["has_text"] is True
    assert facts["sources"][0]["bytes"] == corpus.stat().st_size
    shown = run("index", "info", index).stdout
    assert facts["fingerprint"] in shown
    assert f"words        {facts['words']:,}" in shown


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["curie", "warsaw"], {"count": 3, "capped": False, "anchor": "curie", "window": 1000}),
        (["Curie", "WARSAW", "--cap", "2"], {"count": 2, "capped": True, "anchor": "curie", "window": 1000}),
        (["curie", "lisbon"], {"count": 0, "capped": False, "anchor": "lisbon", "window": 1000}),
        (["New York"], {"count": 1, "capped": False, "anchor": "new york", "window": 1000}),
        (["zeppelin", "warsaw"], {"count": 0, "capped": False, "anchor": "zeppelin", "window": 1000}),
        (["1867", "polonium", "--window", "3"], {"count": 0, "capped": False, "anchor": "1867", "window": 3}),
    ],
)
def test_count_gives_the_public_object(index: str, words: list[str], expected: dict[str, object]) -> None:
    result = run("count", index, *words, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert list(found) == ["count", "capped", "anchor", "window"]
    assert {**found, "anchor": expected["anchor"]} == expected
    plain = run("index", "count", index, *words)
    assert plain.stdout == f"{expected['count']}{'+' if expected['capped'] else ''}\n"


@pytest.mark.parametrize("word", ["Mission: Impossible", "Guns N' Roses", '36" vanity', "Portland, OR", "ŁÓDŹ", "1000"])
def test_nothing_is_a_query_language(index: str, word: str) -> None:
    result = run("count", index, word)
    assert (result.exit_code, result.stdout) == (0, "1\n"), result.stderr


def test_score_gives_the_two_sentences_of_the_readme(index: str) -> None:
    text = "Marie Curie was born in Warsaw. She discovered polonium."
    result = run("score", "--index", index, stdin=text.encode())
    assert result.exit_code == 0, result.stderr
    row = json.loads(result.stdout)
    first, second = row["sentences"]
    assert text[first["start"] : first["end"]] == first["text"] == "Marie Curie was born in Warsaw."
    assert first["status"] == "supported"
    assert first["words"] == ["curie", "marie", "warsaw"]
    assert first["count"] == 2
    assert (first["level"], first["reward"]) == (1, -0.1)
    assert second["text"] == "She discovered polonium."
    assert second["pair"]["tail"] == "polonium"


def test_an_index_is_verified_and_a_flipped_bit_found(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    assert run("index", "build", str(corpus), "--output", str(folder), "--workers", "1").exit_code == 0
    good = run("index", "verify", str(folder))
    assert (good.exit_code, good.stderr) == (0, "")
    victim = max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(bytes(data))
    bad = run("index", "verify", str(folder))
    assert bad.exit_code == 1
    assert bad.stderr.count("\n") == 1
    assert victim.name in bad.stderr


@pytest.mark.parametrize("damage", ["gone", "empty", "half", "noise"])
def test_a_damaged_index_is_one_line_or_the_right_answer(corpus: Path, tmp_path: Path, damage: str) -> None:
    """Whichever file it is: never a traceback, never another count."""
    built = tmp_path / "built"
    assert run("index", "build", str(corpus), "--output", str(built), "--workers", "1").exit_code == 0
    names = [path.relative_to(built) for path in sorted(built.rglob("*")) if path.is_file() and path.stat().st_size]
    assert len(names) > 5
    refused = 0
    for number, name in enumerate(names):
        folder = tmp_path / str(number)
        shutil.copytree(built, folder)
        data = (folder / name).read_bytes()
        if damage == "gone":
            (folder / name).unlink()
        else:
            broken = {"empty": b"", "half": data[: len(data) // 2], "noise": bytes(byte ^ 0xA5 for byte in data)}
            (folder / name).write_bytes(broken[damage])
        result = run("count", str(folder), "curie", "warsaw")
        if result.exit_code == 0:
            assert (result.stdout, result.stderr) == ("3\n", ""), name
            continue
        refused += 1
        assert (result.exit_code, result.stdout) == (1, ""), name
        assert result.stderr.startswith("corver: error: "), name
        assert result.stderr.count("\n") == 1, name
        assert "report it" not in result.stderr, result.stderr
    assert refused


def test_verify_names_what_is_missing(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    assert run("index", "build", str(corpus), "--output", str(folder), "--workers", "1").exit_code == 0
    victim = next(path for path in sorted(folder.rglob("segment-*/*")) if path.is_file())
    victim.unlink()
    result = run("index", "verify", str(folder), "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["ok"] is False
    assert found["problems"] == [f"{victim}: missing"]


def test_evidence_shows_where_the_words_stand(index: str) -> None:
    result = run("evidence", index, "curie", "warsaw", "-n", "1", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    (passage,) = json.loads(result.stdout)["passages"]
    assert {passage["text"][start:end].lower() for start, end in passage["spans"]} == {"curie", "warsaw"}
    document = dict(DOCUMENTS)[passage["title"]]
    assert document[passage["start"] : passage["end"]] == passage["text"]
    shown = run("evidence", index, "curie", "warsaw")
    assert [line for line in shown.stdout.splitlines() if line[0].isdigit()] in (
        ["1. Marie Curie", "2. Warsaw"],
        ["1. Warsaw", "2. Marie Curie"],
    )
    nothing = run("evidence", index, "curie", "lisbon", "--json")
    assert (nothing.exit_code, json.loads(nothing.stdout)["passages"]) == (0, [])


@pytest.mark.parametrize("command", ["count", "evidence"])
def test_a_clause_without_a_word_is_wrong_use(index: str, command: str) -> None:
    result = run(command, index, "curie", "!!!")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "!!!" in result.stderr


def test_an_index_without_texts_counts_the_same(corpus: Path, tmp_path: Path, index: str) -> None:
    folder = tmp_path / "index"
    built = run("index", "build", str(corpus), "--output", str(folder), "--workers", "1", "--no-text", "--json")
    assert built.exit_code == 0, built.stderr
    assert json.loads(built.stdout)["has_text"] is False
    for words in (["curie", "warsaw"], ["New York"]):
        assert run("count", str(folder), *words).stdout == run("count", index, *words).stdout
    refused = run("evidence", str(folder), "curie")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "without texts" in refused.stderr


def process(*words: str) -> subprocess.Popen[bytes]:
    source = str(Path(corver.__file__).parents[1])
    path = os.pathsep.join(part for part in (source, os.environ.get("PYTHONPATH", "")) if part)
    return subprocess.Popen(
        [sys.executable, "-m", "corver.cli", *words],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_a_program_can_write_a_line_and_wait_for_its_answer(index: str) -> None:
    child = process("score", "--index", index, "--batch", "1")
    assert child.stdin is not None
    assert child.stdout is not None
    for _ in range(3):
        child.stdin.write(b"Marie Curie was born in Warsaw.\n")
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["sentences"][0]["count"] == 2
    _, stderr = child.communicate(timeout=60)
    assert child.returncode == 0
    assert stderr == b"corver: scored 3 texts: 3 supported\n"


def test_head_ends_score_without_a_word(index: str, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("Marie Curie was born in Warsaw.\n" * 5000)
    child = process("score", str(texts), "--index", index)
    assert child.stdout is not None
    assert json.loads(child.stdout.readline())["sentences"]
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    assert child.wait(timeout=60) == 141


def test_counting_loads_neither_torch_nor_the_trainer(index: str) -> None:
    code = (
        "import sys\nfrom corver.cli.app import app\n"
        f"try:\n    app(['count', {index!r}, 'curie', 'warsaw'])\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert not {'torch', 'transformers', 'pyarrow'} & set(sys.modules), sorted(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(Path(corver.__file__).parents[1])},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"3\n"), done.stderr
