"""Run folders: rows that survive a kill, whole files by rename, one owner at a time."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corver.errors import InputError, TrainingError
from corver.runs import RunFolder, append_jsonl, claim_file, key_file, read_jsonl, write_text

HARD = ["a\u2028b\u2029c", "\x85\x0b\x0c\r\n", "\ud83d", "\udca9\ud83d", "🤣", "\x00", 'q"\\', "\ufeff"]


def test_hard_text_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"text": text, text: 1} for text in HARD]
    append_jsonl(path, rows)
    assert read_jsonl(path) == rows
    assert path.read_bytes().isascii()
    assert len(path.read_bytes().splitlines()) == len(rows)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def nulled(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: nulled(item) for key, item in value.items()}
    return [nulled(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.dictionaries(st.text(max_size=4), json_values, max_size=3), max_size=4), cut=st.integers(1, 60))
def test_any_rows_come_back_and_a_torn_line_costs_only_itself(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], cut: int
) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    append_jsonl(path, rows)
    expected = nulled(rows)
    assert read_jsonl(path) == expected
    whole = path.read_bytes()
    torn = whole[: max(0, len(whole) - cut)]
    path.write_bytes(torn)
    # A row that only lacks its newline is whole.
    kept = torn.count(b"\n") + (whole[len(torn) : len(torn) + 1] == b"\n")
    assert read_jsonl(path, mend=False) == expected[:kept]
    assert path.read_bytes() == torn
    assert read_jsonl(path) == expected[:kept]
    append_jsonl(path, rows[kept:])
    assert read_jsonl(path) == expected
    assert path.read_bytes() == whole


def test_nan_and_infinity_become_null_at_any_depth(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    append_jsonl(path, [{"a": math.nan, "b": [math.inf, (1.5, -math.inf)], "c": {"d": math.nan}}])
    assert read_jsonl(path) == [{"a": None, "b": [None, [1.5, None]], "c": {"d": None}}]
    assert b"NaN" not in path.read_bytes()


def test_no_file_has_no_rows_and_an_empty_one_neither(tmp_path: Path) -> None:
    assert read_jsonl(tmp_path / "none.jsonl") == []
    (tmp_path / "empty.jsonl").touch()
    assert read_jsonl(tmp_path / "empty.jsonl") == []


@pytest.mark.parametrize("line", [b"not json", b"", b"[1]", b"3", b"\xff\xfe", b'{"a": }'])
def test_a_broken_line_in_the_middle_is_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a": 1}\n' + line + b'\n{"a": 2}\n')
    with pytest.raises(InputError, match=r"rows\.jsonl:2: "):
        read_jsonl(path)


def test_whole_files_appear_by_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.json"
    write_text(path, "old")

    def killed(self: Path, target: Path) -> Path:
        assert Path(target).read_text() == "old"
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "new, longer")
    assert path.read_text() == "old"
    monkeypatch.undo()
    write_text(path, "new Ł")
    assert path.read_bytes() == "new Ł".encode()
    assert [item.name for item in tmp_path.iterdir()] == ["summary.json"]


HOLDER = """
import sys
from pathlib import Path
from corver.runs import RunFolder
with RunFolder(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_and_a_killed_one_lets_go(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(TrainingError, match="another run"), folder.locked():
            pass
        holder.kill()
        holder.wait(timeout=30)
    with folder.locked():
        assert subprocess.run(command, input="", capture_output=True, text=True, check=False).returncode != 0
    with folder.locked():
        pass


def test_a_lock_leaks_no_handle(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):
        with RunFolder(tmp_path).locked(), pytest.raises(TrainingError), RunFolder(tmp_path).locked():
            pass
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    assert after == before


def test_folders_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TrainingError, match="cannot make"):
        RunFolder(tmp_path / "file").create()
    (tmp_path / "run" / ".lock").mkdir(parents=True)
    with pytest.raises(TrainingError, match="cannot write"), RunFolder(tmp_path / "run").locked():
        pass


def test_the_layout_is_as_documented(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.create()
    folder.create()
    names = {"config.yaml", "state.json", "metrics.jsonl", "summary.json", "README.md", "report.html", "samples.jsonl"}
    paths = {folder.config, folder.state, folder.metrics, folder.summary, folder.card, folder.report, folder.samples}
    assert {path.name for path in paths} == names
    assert folder.evaluation("raw") == tmp_path / "run" / "evaluation" / "raw.jsonl"
    assert folder.evaluation("raw").parent.is_dir()
    assert (folder.adapter.name, folder.checkpoints.name) == ("adapter", "checkpoints")


def test_a_file_keeps_the_key_that_it_was_begun_with(tmp_path: Path) -> None:
    output = tmp_path / "raw.jsonl"
    claim_file(output, {"model": "a", "index": "x"})
    claim_file(output, {"model": "b", "index": "x"})
    append_jsonl(output, [{"id": 1}])
    claim_file(output, {"model": "b", "index": "x"})
    with pytest.raises(InputError, match="another model, prompt;"):
        claim_file(output, {"model": "c", "index": "x", "prompt": "new"})
    assert json.loads(key_file(output).read_text()) == {"model": "b", "index": "x"}


def test_a_folder_is_no_file_to_continue(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        claim_file(tmp_path, {"model": "a"})
    assert not key_file(tmp_path).exists()


@pytest.mark.parametrize("key", [None, "", "[1]", "{"])
def test_rows_without_a_key_are_not_continued(tmp_path: Path, key: str | None) -> None:
    output = tmp_path / "raw.jsonl"
    append_jsonl(output, [{"id": 1}])
    if key is not None:
        key_file(output).write_text(key)
    with pytest.raises(InputError, match="does not say"):
        claim_file(output, {"model": "a"})
