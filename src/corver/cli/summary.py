"""The end of a run as a table: raw | trained | difference, each with its 95 % interval.

In: the `summary.json` of a run folder. Out: lines of text. This module computes nothing: a figure that is not there is
shown as a dash.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corver.errors import InputError

__all__ = ["read_summary", "summary_table"]

_SHARES = (
    ("accuracy", "accuracy"),
    ("count_zero_share", "claims at count 0"),
    ("not_attempted_rate", "not attempted"),
    ("format_rate", "well formed"),
)
_NUMBERS = (
    ("sentence_reward", "mean sentence reward", 3),
    ("claims_per_completion", "claims a completion", 2),
    ("mean_length", "mean length, tokens", 1),
)
_MODELS = ("raw", "trained", "difference")


def read_summary(path: Path) -> dict[str, Any]:
    """The summary of a finished run. Raises InputError when it is missing or damaged."""
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; the run has not come to its end") from None
    except ValueError:
        raise InputError(f"{path}: is damaged; remove it and start the run again to have it written anew") from None
    if not isinstance(summary, dict):
        raise InputError(f"{path}: is damaged; remove it and start the run again to have it written anew")
    return summary


def summary_table(summary: Mapping[str, Any]) -> str:
    """The table; a single line for a run without evaluation."""
    models = [name for name in _MODELS if isinstance(summary.get(name), Mapping)]
    if not models:
        return "no evaluation was asked for"
    rows = [["", *models]]
    for key, name in _SHARES:
        rows.append([name, *(_share(summary[model].get(key), sign=model == "difference") for model in models)])
    for key, name, digits in _NUMBERS:
        rows.append([name, *(_number(summary[model].get(key), digits, sign=model == "difference") for model in models)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, f"{summary.get('questions', '?')} questions, 95 % intervals"])


def _share(estimate: Any, *, sign: bool) -> str:
    """In percent, or in percentage points for a difference."""
    return _number(estimate, 1, sign=sign, scale=100, unit="" if sign else " %")


def _number(estimate: Any, digits: int, *, sign: bool, scale: float = 1, unit: str = "") -> str:
    if not isinstance(estimate, Mapping) or estimate.get("value") is None:
        return "-"
    plus = "+" if sign else ""
    value, low, high = (
        "-" if number is None else f"{number * scale:{plus}.{digits}f}"
        for number in (estimate.get(name) for name in ("value", "low", "high"))
    )
    return f"{value}{unit} [{low}, {high}]"
