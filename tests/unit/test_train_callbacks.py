"""The time limit of a run counts all its sittings and lets the step in progress finish."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from corver.runs import append_jsonl
from corver.train.callbacks import MetricsLog


def stopped(log: MetricsLog) -> bool:
    control = SimpleNamespace(should_training_stop=False)
    log.on_step_end(None, SimpleNamespace(), control)
    return control.should_training_stop


@pytest.mark.parametrize(("limit", "expected"), [(None, False), (0.0, True), (3600.0, False)])
def test_training_ends_when_its_time_is_up(tmp_path: Path, limit: float | None, expected: bool) -> None:
    assert stopped(MetricsLog(tmp_path / "metrics.jsonl", total=10, time_limit=limit)) is expected


def test_earlier_sittings_count(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    append_jsonl(path, [{"step": 1, "seconds": 90.0}, {"step": 2, "seconds": 500.0}])
    log = MetricsLog(path, total=10, time_limit=100.0)
    log.rewind(1)
    assert not stopped(log)
    late = MetricsLog(path, total=10, time_limit=80.0)
    late.rewind(1)
    assert stopped(late)
