"""The commands that write to an index folder: what they foretell, refuse, add and merge."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from corver.cli.app import app

CURIE = "Marie Curie was born in Warsaw."
HUGO = "Victor Hugo was born in Besançon and died in Paris."


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="corver")


def jsonl(path: Path, texts: Sequence[str]) -> str:
    path.write_text("".join(json.dumps({"title": "T", "text": text}) + "\n" for text in texts))
    return str(path)


def built(tmp_path: Path, *texts: str) -> str:
    folder = str(tmp_path / "index")
    source = jsonl(tmp_path / "first.jsonl", texts or [CURIE])
    assert run("index", "build", source, "--output", folder, "--workers", "1").exit_code == 0
    return folder


def count(folder: str, *words: str) -> str:
    return run("count", folder, *words).stdout.strip()


def facts(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("index", "info", folder, "--json").stdout)
    return found


def test_added_documents_count_and_are_told(tmp_path: Path) -> None:
    folder = built(tmp_path)
    before = facts(folder)
    more = jsonl(tmp_path / "more.jsonl", [HUGO, "", f"{CURIE} {CURIE}"])
    added = run("index", "add", folder, more, "--workers", "1")
    assert added.exit_code == 0, added.stderr
    foreseen, read = added.stderr.splitlines()
    assert "of memory and" in foreseen
    assert read == "corver: read 2 documents; left out: 1 empty"
    assert re.search(r"^documents +3$", added.stdout, re.MULTILINE)
    assert (count(folder, "curie", "warsaw"), count(folder, "hugo", "paris")) == ("3", "1")
    after = facts(folder)
    assert (after["segments"], after["fingerprint"] != before["fingerprint"]) == (2, True)
    assert [Path(source["name"]).name for source in after["sources"]] == ["first.jsonl", "more.jsonl"]
    assert (after["read"]["documents"], after["read"]["empty"]) == (3, 1)


def test_adding_keeps_to_what_the_index_stores(tmp_path: Path) -> None:
    folder = str(tmp_path / "index")
    source = jsonl(tmp_path / "first.jsonl", [CURIE])
    assert run("index", "build", source, "--output", folder, "--workers", "1", "--no-text").exit_code == 0
    assert run("index", "add", folder, jsonl(tmp_path / "more.jsonl", [HUGO]), "--workers", "1").exit_code == 0
    assert facts(folder)["has_text"] is False
    assert count(folder, "in", "paris") == "1"


def test_the_same_content_is_not_added_twice(tmp_path: Path) -> None:
    folder = built(tmp_path)
    again = jsonl(tmp_path / "renamed.jsonl", [CURIE])
    refused = run("index", "add", folder, again, "--workers", "1")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "renamed.jsonl is in" in refused.stderr.splitlines()[-1]
    assert (count(folder, "curie"), facts(folder)["segments"]) == ("1", 1)


@pytest.mark.parametrize("command", ["build", "add"])
def test_a_source_without_documents_is_named_and_nothing_changes(tmp_path: Path, command: str) -> None:
    folder = built(tmp_path)
    before = facts(folder)
    good, bad = jsonl(tmp_path / "good.jsonl", [HUGO]), jsonl(tmp_path / "bad.jsonl", ["", " "])
    words = [folder, good, bad] if command == "add" else [good, bad, "--output", folder]
    failed = run("index", command, *words, "--workers", "1")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert "bad.jsonl: no document in it (2 empty" in failed.stderr.splitlines()[-1]
    assert facts(folder) == before
    assert run("index", "verify", folder).exit_code == 0


@pytest.mark.parametrize("command", ["build", "add"])
def test_a_disk_that_is_too_small_is_one_line_before_the_work(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = built(tmp_path)
    before = facts(folder)
    more = jsonl(tmp_path / "more.jsonl", [HUGO] * 500)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("corver.index.build.shutil.disk_usage", lambda _: usage._replace(free=10))
    words = [folder, more] if command == "add" else [more, "--output", folder]
    failed = run("index", command, *words, "--workers", "1")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert re.fullmatch(r"corver: error: .*index has 0 MiB free, and the work will take .*\n", failed.stderr)
    assert facts(folder) == before


def test_merging_makes_one_segment_with_the_same_counts(tmp_path: Path) -> None:
    folder = built(tmp_path)
    for number, text in enumerate((HUGO, f"{CURIE} {HUGO}")):
        more = jsonl(tmp_path / f"more{number}.jsonl", [text])
        assert run("index", "add", folder, more, "--workers", "1").exit_code == 0
    queries = (["curie"], ["hugo", "paris"], ["curie", "besancon"], ["was born in"])
    before = [count(folder, *words) for words in queries]
    assert before == ["2", "2", "1", "4"]
    merged = run("index", "merge", folder, "--json")
    assert (merged.exit_code, merged.stderr) == (0, "corver: merged 3 segments into 1\n")
    assert json.loads(merged.stdout)["segments"] == 1
    assert [count(folder, *words) for words in queries] == before
    assert run("index", "verify", folder).exit_code == 0
    again = run("index", "merge", folder)
    assert (again.exit_code, again.stderr) == (0, "corver: 1 segment as before: there is nothing to merge\n")


def test_segments_that_do_not_fit_into_the_memory_stay_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = built(tmp_path)
    assert run("index", "add", folder, jsonl(tmp_path / "more.jsonl", [HUGO]), "--workers", "1").exit_code == 0
    monkeypatch.setattr("corver.index.merge.merge_memory", lambda segments: 1 << 40)
    kept = run("index", "merge", folder)
    assert (kept.exit_code, kept.stderr) == (0, "corver: 2 segments as before: a larger --memory may allow more\n")


@pytest.mark.parametrize("command", ["add", "merge"])
def test_two_writers_exclude_each_other(tmp_path: Path, command: str) -> None:
    from corver.index.files import folder_lock

    folder = built(tmp_path)
    words = [jsonl(tmp_path / "more.jsonl", [HUGO]), "--workers", "1"] if command == "add" else []
    with folder_lock(Path(folder)):
        refused = run("index", command, folder, *words)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "another process is writing" in refused.stderr


def test_an_index_of_other_sources_is_named_before_it_is_replaced(tmp_path: Path) -> None:
    folder = built(tmp_path, CURIE, HUGO)
    again = run("index", "build", str(tmp_path / "first.jsonl"), "--output", folder, "--workers", "1")
    assert "holds another index" not in again.stderr
    other = jsonl(tmp_path / "other.jsonl", [HUGO])
    replaced = run("index", "build", other, "--output", folder, "--workers", "1")
    assert replaced.exit_code == 0
    told = [line for line in replaced.stderr.splitlines() if "another index" in line]
    assert told == [
        f"corver: {folder} holds another index (2 documents, 16 words); it is replaced when the new one is whole"
    ]
    (Path(folder) / "corver-index.json").write_text("{}")
    assert "holds an index that cannot be read" in run("index", "build", other, "--output", folder).stderr
    assert (count(folder, "hugo", "paris"), count(folder, "curie", "warsaw")) == ("1", "0")


@pytest.mark.parametrize("name", ["notes.txt", "build/main.o", "build", "segment-old"])
def test_a_folder_of_other_files_is_left_alone(tmp_path: Path, name: str) -> None:
    source = jsonl(tmp_path / "first.jsonl", [CURIE])
    folder = tmp_path / "work"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("mine")
    refused = run("index", "build", source, "--output", str(folder))
    assert refused.exit_code == 2
    assert refused.stderr == f"corver: error: {folder} holds other files ({name}) and no index; " + (
        "name a new or an empty folder\n"
    )
    assert [path.read_text() for path in folder.rglob("*") if path.is_file()] == ["mine"]


@pytest.mark.parametrize("left", [(), (".lock", ".DS_Store"), ("build/plan", "notes.txt"), ("build/task-0000/x",)])
def test_an_empty_folder_and_an_unfinished_build_are_built_in(tmp_path: Path, left: Sequence[str]) -> None:
    (tmp_path / "index").mkdir()
    for name in left:
        (tmp_path / "index" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "index" / name).write_text("")
    assert count(built(tmp_path), "curie", "warsaw") == "1"
