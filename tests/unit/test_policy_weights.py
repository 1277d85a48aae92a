"""The fingerprint of a model's folder: the same for a copy, another for whatever changes what the model says."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from corver.policy.weights import folder_fingerprint


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder with weights of 80 MiB, most of them a hole in the file."""
    folder = tmp_path / "large"
    folder.mkdir()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(b"names of the tensors")
        file.truncate(80 << 20)
    return folder


def test_a_copy_has_the_same_fingerprint_whenever_it_was_made(tiny_model: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_model, tmp_path / "copy")
    for path in (tmp_path / "copy").iterdir():
        os.utime(path, (1, 1))
    (tmp_path / "copy" / "README.md").write_text("A copy.")
    assert folder_fingerprint(tmp_path / "copy") == folder_fingerprint(tiny_model)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json", "chat_template.jinja"])
def test_a_byte_changes_it(tiny_model: Path, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_model, copy)
    whole = (copy / name).read_bytes()
    before = folder_fingerprint(copy)
    (copy / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    changed = folder_fingerprint(copy)
    (copy / name).unlink()
    assert len({before, changed, folder_fingerprint(copy)}) == 3


@pytest.mark.parametrize("place", [0, (1 << 20) - 1, 37 << 20, (80 << 20) - 1])
def test_a_tensor_of_large_weights_changes_it(large: Path, place: int) -> None:
    before = folder_fingerprint(large)
    assert before == folder_fingerprint(large)
    with (large / "model.safetensors").open("r+b") as file:
        file.seek(place)
        file.write(b"x" if place == (80 << 20) - 1 else b"x" * (1 << 20))
    assert folder_fingerprint(large) != before


def test_the_size_of_large_weights_changes_it(large: Path) -> None:
    before = folder_fingerprint(large)
    os.truncate(large / "model.safetensors", (80 << 20) + 1)
    assert folder_fingerprint(large) != before


def test_a_gguf_file_stands_for_the_weights(tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf", "c.safetensors"):
        (tmp_path / name).write_text(name)
    found = {folder_fingerprint(tmp_path, gguf_file=name) for name in ("a.gguf", "b.gguf")}
    assert len(found | {folder_fingerprint(tmp_path)}) == 3
    (tmp_path / "c.safetensors").unlink()
    assert folder_fingerprint(tmp_path, gguf_file="a.gguf") in found
