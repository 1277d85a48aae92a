"""Every command: its help, and what it does with input that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from corver import __version__
from corver.cli.app import app

COMMANDS = (
    ("demo",),
    ("doctor",),
    ("index", "build"),
    ("index", "add"),
    ("index", "merge"),
    ("index", "info"),
    ("index", "verify"),
    ("index", "count"),
    ("count",),
    ("evidence",),
    ("score",),
    ("noise", "measure"),
    ("noise", "levels"),
    ("train",),
    ("zone",),
    ("eval",),
    ("report",),
)


def corver(*words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(app, list(words), input=stdin, prog_name="corver")


def test_the_root_lists_every_command() -> None:
    result = corver("--help")
    assert result.exit_code == 0
    listed = [line.split()[0] for line in result.stdout.split("Commands:")[1].splitlines() if line.strip()]
    assert listed == [
        "demo",
        "doctor",
        "index",
        "count",
        "evidence",
        "score",
        "calibrate",
        "noise",
        "train",
        "zone",
        "eval",
        "report",
    ]
    assert result.stderr == ""


def test_the_version_is_a_result() -> None:
    assert corver("--version").stdout == f"corver {__version__}\n"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_tells_what_a_command_does_with_an_example(words: tuple[str, ...]) -> None:
    result = corver(*words, "--help")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert f"Usage: corver {' '.join(words)}" in result.stdout
    assert "Example" in result.stdout
    example = result.stdout.split("Example")[1]
    assert f"corver {' '.join(words)}" in example or words == ("index", "count")
    options = result.stdout.split("Options:")[1].splitlines()
    assert all(len(line.split()) > 1 for line in options if line.strip().startswith("--")), "an option without help"


@pytest.mark.parametrize("words", [(), ("index",)])
def test_no_command_is_wrong_use(words: tuple[str, ...]) -> None:
    result = corver(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--help)" in result.stderr


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """Files and folders that no command can work with, by name."""
    made = {name: tmp_path / name for name in ("missing", "empty", "folder", "binary", "text", "damaged", "array")}
    made["empty"].write_bytes(b"")
    made["folder"].mkdir()
    made["binary"].write_bytes(bytes(range(256)) * 64)
    made["text"].write_text("Just a text.\n")
    made["damaged"].mkdir()
    (made["damaged"] / "corver-index.json").write_text('{"kind": "corver-index", "format_version": 1')
    made["array"] = tmp_path / "array.json"
    made["array"].write_text("[1, 2]")
    made["settings"] = tmp_path / "settings.yaml"
    made["settings"].write_text("output: run\n")
    return {"nowhere": str(tmp_path / "no" / "way"), **{name: str(path) for name, path in made.items()}}


WRONG = (
    # words, exit code, what the line must say
    ("count {missing} a b", 1, "does not exist"),
    ("count {text} a b", 1, "is a file"),
    ("count {folder} a b", 1, "not a corver index"),
    ("count {damaged} a b", 1, "damaged"),
    ("count {folder} a --window -1", 2, "--window"),
    ("count {folder} a --cap 0", 2, "--cap"),
    ("count {folder}", 2, "WORD"),
    ("evidence {missing} a b", 1, "does not exist"),
    ("evidence {damaged} a b", 1, "damaged"),
    ("evidence {folder} a -n 0", 2, "-n"),
    ("index count {missing} a b", 1, "does not exist"),
    ("index info {missing}", 1, "does not exist"),
    ("index info {text}", 1, "is a file"),
    ("index info {folder} --json", 1, "not a corver index"),
    ("index info {damaged}", 1, "damaged"),
    ("index verify {missing}", 1, "does not exist"),
    ("index verify {damaged}", 1, "damaged"),
    ("index build", 2, "SOURCE"),
    ("index build {text}", 2, "--output"),
    ("index build {missing} --output {nowhere}", 1, "no such file"),
    ("index build {empty} --output {nowhere}", 1, "empty"),
    ("index build {folder} --output {nowhere}", 1, "holds no file"),
    ("index build {binary} --output {nowhere}", 1, "binary"),
    ("index build {array} --output {nowhere}", 1, "JSON"),
    ("index build {text} --output {text}", 1, "text is a file"),
    ("index build {text} --output {nowhere} --memory lots", 2, "is no size"),
    ("index build {text} --output {nowhere} --workers 0", 2, "--workers"),
    ("index build {text} --output {nowhere} --format pdf", 2, "--format"),
    ("index add", 2, "DIR"),
    ("index add {folder}", 2, "SOURCE"),
    ("index add {missing} {text}", 1, "does not exist"),
    ("index add {damaged} {text}", 1, "damaged"),
    ("index add {folder} {text} --memory lots", 2, "is no size"),
    ("index merge", 2, "DIR"),
    ("index merge {missing}", 1, "does not exist"),
    ("index merge {folder}", 1, "not a corver index"),
    ("index merge {folder} --memory lots", 2, "is no size"),
    ("score", 2, "--index"),
    ("score {text} --index {missing}", 1, "does not exist"),
    ("score {text} --index {damaged}", 1, "damaged"),
    ("score {missing} --index {folder}", 1, "no such file"),
    ("score {folder} --index {folder}", 1, "is a folder"),
    ("score {text} --index {folder} --window -5", 2, "--window"),
    ("score {text} --index {folder} --extractor magic", 2, "--extractor"),
    ("score {text} --index {folder} --support magic", 2, "--support"),
    ("score {text} --index {folder} --batch 0", 2, "--batch"),
    ("train", 2, "CONFIG"),
    ("train {missing}", 2, "no such configuration file"),
    ("train {folder}", 2, "is a folder"),
    ("train {binary}", 2, "cannot be read"),
    ("train {text}", 2, "expected a mapping"),
    ("train {empty}", 2, "the file is empty"),
    ("train {settings} --seed", 2, "needs a value"),
    ("train {settings} --seed 3", 2, "required"),
    ("train {settings} --no.such 3", 2, "settings.yaml"),
    ("train --seed 3 {text}", 2, "before its overrides"),
    ("zone {missing}", 2, "no such configuration file"),
    ("zone {text} --samples 0", 2, "--samples"),
    ("report {missing}", 1, "not a run folder"),
    ("report {folder}", 1, "not a run folder"),
    ("report {text}", 1, "not a run folder"),
    ("demo --steps 0", 2, "--steps"),
    ("demo --output {text}", 1, "text"),
    ("doctor extra", 2, "extra"),
)


@pytest.mark.parametrize(("line", "code", "says"), WRONG, ids=[line for line, _, _ in WRONG])
def test_wrong_input_is_one_line_and_no_result(places: dict[str, str], line: str, code: int, says: str) -> None:
    result = corver(*(word.format(**places) for word in line.split()))
    assert result.exit_code == code, result.stderr
    assert result.stdout == ""
    said = "".join(each for each in result.stderr.splitlines(keepends=True) if not each.startswith("corver: about "))
    assert said.startswith("corver: error: ")
    assert said.count("\n") == 1
    assert says in said
    assert "Traceback" not in result.stderr
    assert "report it" not in result.stderr
