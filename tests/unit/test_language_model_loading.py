"""A model that is absent or damaged is one line that says what is wrong with which file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from corver import language_model
from corver.cli.app import app
from corver.config import PolicyConfig
from corver.errors import InputError
from corver.language_model import load_language_model
from corver.train.estimate import model_config


def refusal(name: str | Path, **settings: Any) -> str:
    with pytest.raises(InputError) as raised:
        load_language_model(str(name), device="cpu", dtype="float32", **settings)
    told = str(raised.value)
    assert "\n" not in told
    assert "Repo id" not in told
    assert len(told) < len(str(name)) + 450
    return told


def settings_changed(folder: Path, **values: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def indexed(folder: Path, text: str) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(text)
    (folder / "other.safetensors").write_bytes(b"")


def pickled(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def without(folder: Path, pattern: str) -> None:
    for path in folder.glob(pattern):
        path.unlink()


FAULTS: list[tuple[Callable[[Path], Any], str]] = [
    (lambda folder: (folder / "config.json").unlink(), ": there is no config.json in this folder"),
    (lambda folder: (folder / "config.json").write_text("[1]"), "/config.json: is not the configuration of a model"),
    (lambda folder: (folder / "config.json").write_text("null"), "/config.json: is not the configuration of a model"),
    (lambda folder: (folder / "config.json").write_text(""), "/config.json: is not JSON"),
    (lambda folder: (folder / "config.json").write_text("[" * 100_000), "/config.json: is not JSON"),
    (lambda folder: (folder / "config.json").write_bytes(b"\xff\xfe\0"), "/config.json: is not JSON"),
    (lambda folder: (folder / "config.json").write_text("{}"), ": cannot load"),
    (lambda folder: settings_changed(folder, hidden_size="many"), ": cannot load"),
    (lambda folder: settings_changed(folder, num_attention_heads=0), ": cannot load"),
    (lambda folder: settings_changed(folder, hidden_size=128), ": cannot load a language model"),
    (lambda folder: settings_changed(folder, num_hidden_layers=3), ": 9 of its weights are missing, model.layers.2."),
    (lambda folder: without(folder, "token*"), ": there is no tokenizer in this folder"),
    (lambda folder: (folder / "tokenizer.json").write_text("[1]"), ": cannot load its tokenizer"),
    (lambda folder: (folder / "tokenizer.json").write_text("{x"), ": cannot load its tokenizer"),
    (lambda folder: (folder / "tokenizer.json").write_text('{"version": "1.0"}'), ": cannot load its tokenizer"),
    (lambda folder: (folder / "tokenizer_config.json").write_text("[1]"), ": cannot load its tokenizer"),
    (lambda folder: (folder / "tokenizer_config.json").write_text("null"), ": cannot load its tokenizer"),
    (lambda folder: (folder / "generation_config.json").write_text("[1]"), ": cannot load a language model"),
    (lambda folder: without(folder, "*.safetensors"), ": there are no weights in safetensors in this folder"),
    (pickled, "; pickled weights are not loaded"),
    (lambda folder: indexed(folder, "[1]"), ": cannot load a language model"),
    (lambda folder: indexed(folder, '{"weight_map": {"a": "b.safetensors"}, "metadata": {}}'), ": cannot load a"),
]


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_a_damaged_folder_is_one_line(tiny_model: Path, tmp_path: Path, number: int) -> None:
    damage, told = FAULTS[number]
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    damage(folder)
    message = refusal(folder)
    assert message.startswith(str(folder))
    assert told in message


@pytest.mark.parametrize("name", ["/none/here", "./none", "../none", "a/b/c", "org/na me", "x" * 300])
def test_a_name_that_is_no_hub_id_is_not_looked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_model, "AutoTokenizer", None)
    assert refusal(name) == f"{name}: no such folder, and no name that a hub could have"


def test_a_name_that_the_hub_does_not_give_is_told_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_pretrained(name: str, **settings: object) -> None:
        raise OSError("We cannot connect.\nTry again. " + "Read on. " * 200)

    monkeypatch.setattr(language_model, "AutoTokenizer", SimpleNamespace(from_pretrained=from_pretrained))
    told = refusal("org/none")
    assert told.startswith(
        "org/none: no such folder, and no model of that name could be had from the hub: We cannot connect. Try again."
    )


def test_what_is_no_folder_of_a_model(tmp_path: Path, tiny_model: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "is a file" in refusal(tmp_path / "file")
    assert "is empty" in refusal("")
    assert refusal(tiny_model, gguf_file="none.gguf") == f"{tiny_model}: there is no none.gguf in this folder"


@pytest.mark.parametrize(
    ("text", "told"), [("[1]", "config.json: is not the configuration"), (None, "there is no config.json")]
)
def test_the_estimate_of_memory_says_the_same(tmp_path: Path, text: str | None, told: str) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    with pytest.raises(InputError, match=told):
        model_config(PolicyConfig(model=str(tmp_path)))
    with pytest.raises(InputError, match="no such folder"):
        model_config(PolicyConfig(model=str(tmp_path / "none")))


def test_the_command_line_says_it_in_one_line(tmp_path: Path, tiny_questions: Path) -> None:
    words = ["eval", "./none", "--questions", str(tiny_questions), "--output", str(tmp_path / "a.jsonl")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert result.stderr == "corver: error: ./none: no such folder, and no name that a hub could have\n"
