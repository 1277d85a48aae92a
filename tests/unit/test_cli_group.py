"""How commands end: one line, the right exit code, and no traceback unless it is asked for."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from corver.cli.group import CorverGroup
from corver.cli.output import ReaderGoneError, emit, one_line, say
from corver.errors import ConfigError, DependencyError, IndexFormatError, InputError, UsageError


def run(raise_it: Callable[[], None], *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command that does this."""
    app = typer.Typer(cls=CorverGroup, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.callback()
    def root(debug: Annotated[bool, typer.Option("--debug")] = False) -> None: ...

    @app.command()
    def work(number: Annotated[int, typer.Option()] = 0) -> None:
        emit("a result")
        raise_it()

    result = CliRunner().invoke(app, list(words or ("work",)), prog_name="corver")
    return result.exit_code, result.stdout, result.stderr


def raising(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def test_good_work_ends_with_0_and_says_nothing() -> None:
    assert run(lambda: None) == (0, "a result\n", "")


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("a.txt: is empty"), 1, "corver: error: a.txt: is empty"),
        (IndexFormatError("idx: is\nbroken"), 1, "corver: error: idx: is broken"),
        (DependencyError("install it"), 1, "corver: error: install it"),
        (ConfigError("x.yaml: key"), 2, "corver: error: x.yaml: key"),
        (UsageError("no"), 2, "corver: error: no"),
        (PermissionError(errno.EACCES, "Permission denied", "/a"), 1, "corver: error: /a: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "corver: error: No space left on device"),
        (MemoryError(), 1, "corver: error: out of memory; give the work less at a time"),
        (KeyboardInterrupt(), 130, "corver: interrupted"),
        (typer.BadParameter("wrong."), 2, "corver: error: Invalid value: wrong (see corver work --help)"),
    ],
)
def test_each_kind_of_failure_is_one_line_and_a_code(error: BaseException, code: int, line: str) -> None:
    assert run(raising(error)) == (code, "a result\n", line + "\n")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("odd"),
        KeyError("odd"),
        RuntimeError("odd"),
        BrokenPipeError(errno.EPIPE, "odd"),
        AssertionError("odd"),
    ],
)
def test_a_fault_of_corver_is_named_and_to_be_reported(error: Exception) -> None:
    code, _, stderr = run(raising(error))
    assert code == 1
    assert stderr.startswith(f"corver: error: unexpected {type(error).__name__}: ")
    assert "odd" in stderr
    assert "please report" in stderr
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("--debug", "work"), ("work", "--debug")])
def test_debug_shows_where_a_fault_is_wherever_it_stands(words: tuple[str, ...]) -> None:
    code, stdout, stderr = run(raising(ValueError("odd")), *words)
    assert code == 1
    assert stdout == "a result\n"
    assert "Traceback (most recent call last)" in stderr
    assert stderr.rstrip().splitlines()[-1].startswith("corver: error: unexpected ValueError: odd")


def test_debug_also_shows_where_a_named_error_came_from() -> None:
    code, _, stderr = run(raising(InputError("a.txt: is empty")), "work", "--debug")
    assert code == 1
    assert "Traceback" in stderr


def test_a_reader_that_went_away_ends_the_work_without_a_word() -> None:
    assert run(raising(ReaderGoneError())) == (141, "a result\n", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("wrok",), "No such command 'wrok'"),
        (("work", "--number", "x"), "Invalid value for '--number'"),
        (("work", "--nubmer", "3"), "No such option"),
        (("work", "extra"), "unexpected extra argument"),
    ],
)
def test_wrong_use_is_one_line_that_says_where_to_read_more(words: tuple[str, ...], message: str) -> None:
    code, stdout, stderr = run(lambda: None, *words)
    assert code == 2
    assert stdout == ""
    assert message in stderr
    assert "--help)" in stderr
    assert stderr.count("\n") == 1


def test_an_exit_code_that_a_command_chose_stands() -> None:
    assert run(raising(typer.Exit(1))) == (1, "a result\n", "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\n lines", "two lines"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\u202eback", r"\u202eback"),
        ("half \ud800", r"half \ud800"),
        ("Łódź 👩\u200d🔬 می\u200cخواهم", "Łódź 👩\u200d🔬 می\u200cخواهم"),
    ],
)
def test_no_name_steers_the_terminal(capsys: pytest.CaptureFixture[str], text: str, line: str) -> None:
    assert one_line(text) == line
    say(text)
    assert capsys.readouterr().err == f"corver: {line}\n"
