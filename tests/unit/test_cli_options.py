"""Sizes on the command line, missing extras, and numbers made short."""

from __future__ import annotations

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize("text", ["", "GiB", "-1", "2 GiBs", "two", "0", "0.0001", "1e9", "∞"])
def test_what_is_no_size_is_wrong_use(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        parse_bytes(text, option="--memory")


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
