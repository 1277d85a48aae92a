"""A group that two processes share gets the advantages that one process gives it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import process_worker
from launching import launch

TESTS = Path(__file__).parents[1]


def together(output: Path, world: int) -> list[dict[str, Any]]:
    for status, said, complaint in launch([str(TESTS / "process_worker.py"), str(output)], world=world):
        assert status == 0, (said + complaint)[-3000:]
    return [json.loads((output / f"world{world}-rank{rank}.json").read_text()) for rank in range(world)]


@pytest.fixture(scope="module")
def alone_and_together(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    output = tmp_path_factory.mktemp("processes")
    both = together(output, 2)
    process_worker.main(output)
    return json.loads((output / "world1-rank0.json").read_text()), both


def test_two_processes_give_the_advantages_of_one(
    alone_and_together: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    alone, together = alone_and_together
    assert [part["world"] for part in together] == [2, 2]
    expected = {(step, row[0], row[1]): row[2] for step, row in _numbered(alone["rows"], 4)}
    found = {(step, row[0], row[1]): row[2] for part in together for step, row in _numbered(part["rows"], 2)}
    assert found.keys() == expected.keys()
    assert len(found) == 12
    for place, values in expected.items():
        np.testing.assert_allclose(found[place], values, rtol=1e-6, atol=1e-7)
    assert any(len(set(values)) > 2 for values in expected.values())


def test_metrics_and_logged_advantages_span_both_processes(
    alone_and_together: tuple[dict[str, Any], list[dict[str, Any]]],
) -> None:
    alone, together = alone_and_together
    main = together[0]
    assert len(main["metrics"]) == len(alone["metrics"]) == 3
    for own, other in zip(main["metrics"], alone["metrics"], strict=True):
        assert own == pytest.approx(other, rel=1e-6, nan_ok=True)
    np.testing.assert_allclose(main["logged"], alone["logged"], rtol=1e-6, atol=1e-7)


FAILING = """
import sys, time
from corver.train.processes import Processes, process_group
with process_group():
    processes = Processes("cpu")
    processes.wait()
    if processes.main == (sys.argv[1] == "main"):
        raise ValueError("something else")
    time.sleep(float(sys.argv[2]))
    processes.wait()
"""


@pytest.mark.parametrize("words", [("main", "0"), ("other", "0"), ("main", "0.5")])
def test_a_process_that_fails_ends_and_so_do_the_others(words: tuple[str, str]) -> None:
    ended = launch(["-c", FAILING, *words], world=2, limit=60)
    assert [status for status, *_ in ended] == [1, 1], ended
    first, second = ended if words[0] == "main" else reversed(ended)
    assert first[2].rstrip().endswith("ValueError: something else")
    assert "ValueError" not in second[2]
    assert not any("terminate called" in said for *_, said in ended)


def test_processes_that_end_at_different_times_end_well() -> None:
    late = FAILING.replace('raise ValueError("something else")', "time.sleep(0.5)")
    assert [status for status, *_ in launch(["-c", late, "main", "0"], world=2, limit=60)] == [0, 0]


def _numbered(rows: list[Any], size: int) -> list[tuple[int, Any]]:
    return [(number // size, row) for number, row in enumerate(rows)]
