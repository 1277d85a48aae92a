"""Sizes on the command line, missing extras, and numbers made short."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, Signature
from typing import Any, get_args, get_type_hints

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from corver.cli.app import app
from corver.cli.bars import duration, quantity
from corver.cli.options import extra_needed, parse_bytes
from corver.errors import DependencyError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4096", 4096),
        ("2GiB", 2 << 30),
        ("2gib", 2 << 30),
        ("500MB", 500_000_000),
        ("1.5 G", 1_500_000_000),
        ("512 KiB", 512 << 10),
        ("1T", 10**12),
        ("7b", 7),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, expected: int) -> None:
    assert parse_bytes(text, option="--memory") == expected


@pytest.mark.parametrize("text", ["", "GiB", "-1", "2 GiBs", "two", "0", "0.0001", "1e9", "∞", "9" * 400, "9E6T"])
def test_what_is_no_size_is_wrong_use(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        parse_bytes(text, option="--memory")


def float_options(app: typer.Typer, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any, str]]:
    """Every option of every command that takes a number with a fraction: its name, what it is, its parameter."""
    for group in app.registered_groups:
        yield from float_options(group.typer_instance, (*words, str(group.name or group.typer_instance.info.name)))
    for command in app.registered_commands:
        hints = get_type_hints(command.callback, include_extras=True)
        for parameter, hint in hints.items():
            if getattr(hint, "__metadata__", None) and float in (hint.__origin__, *get_args(hint.__origin__)):
                yield " ".join((*words, str(command.name), f"--{parameter.replace('_', '-')}")), hint, parameter


FLOAT_OPTIONS = list(float_options(app))


def test_the_commands_take_numbers() -> None:
    names = {name for name, _, _ in FLOAT_OPTIONS}
    assert names >= {
        "eval --temperature",
        "eval --top-p",
        "zone --temperature",
        "noise levels --true",
        "score --neutral",
    }


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999"])
@pytest.mark.parametrize(("name", "hint", "parameter"), FLOAT_OPTIONS, ids=[name for name, _, _ in FLOAT_OPTIONS])
def test_no_option_takes_what_is_no_finite_number(name: str, hint: Any, parameter: str, text: str) -> None:
    alone = typer.Typer()

    def command(**given: float) -> None:
        typer.echo(given[parameter])

    command.__signature__ = Signature([Parameter(parameter, Parameter.KEYWORD_ONLY, annotation=hint)])  # type: ignore[attr-defined]
    command.__annotations__ = {parameter: hint}
    alone.command()(command)
    option = name.rpartition(" ")[2]
    assert CliRunner().invoke(alone, [option, "0.5"]).stdout == "0.5\n"
    result = CliRunner().invoke(alone, [option, text])
    assert (result.exit_code, result.stdout) == (2, "")
    assert option in result.stderr


@pytest.mark.parametrize("text", ["-1", "nan", "inf"])
def test_a_temperature_that_is_none_is_wrong_use(text: str) -> None:
    result = CliRunner().invoke(app, ["eval", "model", "--questions", "q.jsonl", "--temperature", text])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'--temperature'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_library_names_its_extra() -> None:
    cure = r"training needs no_such_library: pip install 'corver\[train\]'"
    with pytest.raises(DependencyError, match=cure), extra_needed("train", "training"):
        import no_such_library.below  # type: ignore[import-not-found]  # noqa: F401


def test_a_missing_module_of_corver_is_no_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError), extra_needed("train", "training"):
        import corver.no_such_module  # type: ignore[import-not-found]  # noqa: F401


@pytest.mark.parametrize(
    ("number", "unit", "expected"),
    [
        (0, "bytes", "0 B"),
        (1023, "bytes", "1023 B"),
        (1024, "bytes", "1.0 KiB"),
        (3 << 20, "bytes", "3.0 MiB"),
        (5 << 40, "bytes", "5.0 TiB"),
        (5 << 50, "bytes", "5120.0 TiB"),
        (0, "texts", "0"),
        (9999, "texts", "9999"),
        (12_345, "texts", "12.3 k"),
        (6_400_000, "texts", "6.4 M"),
        (5_500_000_000, "words", "5.5 G"),
        (2.25, "texts", "2.2"),
    ],
)
def test_quantities_are_short(number: float, unit: str, expected: str) -> None:
    assert quantity(number, unit) == expected


@given(st.floats(min_value=0, max_value=1e15), st.sampled_from(["bytes", "words"]))
def test_no_quantity_is_long(number: float, unit: str) -> None:
    assert len(quantity(number, unit)) <= 10


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(2.04, "2.0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (3599, "59 min 59 s"), (7500, "2 h 05 min")],
)
def test_durations_are_readable(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected
