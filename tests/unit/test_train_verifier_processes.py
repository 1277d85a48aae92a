"""A group that two processes share is judged, appealed and corrected as one process does it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import verifier_worker
from launching import launch

TESTS = Path(__file__).parents[1]


def test_two_processes_correct_and_appeal_as_one(tmp_path: Path) -> None:
    for status, said, complaint in launch([str(TESTS / "verifier_worker.py"), str(tmp_path)], world=2):
        assert status == 0, (said + complaint)[-3000:]
    verifier_worker.main(tmp_path)
    alone, *both = (json.loads((tmp_path / f"world{world}-rank{rank}.json").read_text())
                    for world, rank in ((1, 0), (2, 0), (2, 1)))  # fmt: skip
    expected = {(step, place): value for step, place, value in alone["rows"]}
    found = {(step, place): value for part in both for step, place, value in part["rows"]}
    assert found.keys() == expected.keys()
    assert len(found) == 16
    np.testing.assert_allclose([found[key] for key in expected], list(expected.values()), rtol=1e-6)
    assert len(set(expected.values())) > 4
    np.testing.assert_allclose(both[0]["metrics"], alone["metrics"], rtol=1e-6)
    made, flipped, failed = (sum(row[at] for row in alone["metrics"]) for at in range(3))
    assert 0 < made <= 8, "the budget is two a batch, over both processes"
    assert flipped > 0
    assert failed > 0
