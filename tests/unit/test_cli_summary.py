"""The table at the end of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corver.cli.summary import read_summary, summary_table
from corver.errors import InputError


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> dict[str, float | None]:
    return {"value": value, "low": low, "high": high}


def summary() -> dict[str, Any]:
    raw = {
        "accuracy": estimate(0.125, 0.081, 0.1876),
        "count_zero_share": estimate(0.5, 0.4, 0.6),
        "not_attempted_rate": estimate(0.0, 0.0, 0.02),
        "format_rate": estimate(1.0, 0.98, 1.0),
        "sentence_reward": estimate(-0.1234, -0.15, -0.1),
        "claims_per_completion": estimate(1.5, 1.4, 1.6),
        "mean_length": estimate(40.04, 39.0, 41.0),
    }
    difference = {
        "accuracy": estimate(0.02, -0.01, 0.05),
        "sentence_reward": estimate(0.05, 0.01, 0.09),
        "claims_per_completion": estimate(None),
    }
    trained = {**raw, "accuracy": estimate(0.145, 0.1, 0.2)}
    return {"questions": 160, "raw": raw, "trained": trained, "difference": difference}


def test_the_table_has_a_row_a_figure_and_a_column_a_model() -> None:
    lines = summary_table(summary()).splitlines()
    assert lines[0].split() == ["raw", "trained", "difference"]
    assert "12.5 % [8.1, 18.8]" in lines[1]
    assert "14.5 % [10.0, 20.0]" in lines[1]
    assert lines[1].endswith("+2.0 [-1.0, +5.0]")
    reward = next(line for line in lines if line.startswith("mean sentence reward"))
    assert "-0.123 [-0.150, -0.100]" in reward
    assert reward.endswith("+0.050 [+0.010, +0.090]")
    claims = next(line for line in lines if line.startswith("claims a completion"))
    assert claims.endswith("-")
    assert len(lines) == 9
    assert lines[-1] == "160 questions, 95 % intervals"


def test_a_run_without_evaluation_says_so() -> None:
    assert summary_table({"seconds": {}}) == "no evaluation was asked for"


def test_a_missing_or_damaged_summary_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    with pytest.raises(InputError, match="not come to its end"):
        read_summary(path)
    for damaged in ("", "{", "[1]", "\x00"):
        path.write_text(damaged)
        with pytest.raises(InputError, match="is damaged"):
            read_summary(path)
    path.write_text(json.dumps({"questions": 3}))
    assert read_summary(path) == {"questions": 3}
