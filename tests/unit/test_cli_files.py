"""Reading and writing by name: a file has its name only once it is whole, and a bad path is one line."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from corver.cli.files import reading, writing
from corver.errors import InputError


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    with writing(target) as write:
        write(b"one\n")
        assert not target.exists()
        write(b"two\n")
    assert target.read_bytes() == b"one\ntwo\n"
    assert parts(tmp_path) == ["out.jsonl"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "out.jsonl"
    target.write_bytes(b"old")

    def work(write: Callable[[bytes], None]) -> None:
        write(b"new")
        raise error

    with pytest.raises(error), writing(target) as write:
        work(write)
    assert target.read_bytes() == b"old"
    assert parts(tmp_path) == ["out.jsonl"]


def test_a_file_that_is_replaced_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    target, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to(target)
    with writing(link) as write:
        write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_device_is_written_to_and_not_replaced() -> None:
    before = os.stat(os.devnull)
    with writing(Path(os.devnull)) as write:
        write(b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert os.stat(os.devnull).st_ino == before.st_ino


def test_a_folder_or_a_missing_parent_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"), writing(tmp_path):
        pass
    missing = tmp_path / "no" / "out"
    with pytest.raises(FileNotFoundError, match="cannot be written: No such file or directory"), writing(missing):
        pass


def test_what_fails_while_writing_names_the_file(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.fail("this test needs /dev/full")
    with (
        pytest.raises(OSError, match="cannot be written: No space left on device: '/dev/full'"),
        writing(full) as write,
    ):
        write(b"x")


def test_unreadable_input_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"), reading(str(tmp_path / "no.txt")):
        pass
    with pytest.raises(InputError, match="is a folder"), reading(str(tmp_path)):
        pass


def test_a_file_is_read_as_bytes_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_bytes(b"a\xff")
    with reading(str(path)) as (stream, name):
        assert name == str(path)
        assert stream.read() == b"a\xff"
    assert stream.closed
