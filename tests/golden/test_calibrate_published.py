"""The published calibration (arXiv 2605.29648): P(correct) 24/53/70/73/81 % at counts 0, 1–4, 5–9, 10–19, 20 and more.

The paper gives 700 labelled sentences and not how many of each bin; here every bin has 140.
"""

from __future__ import annotations

import pytest

from calibration import by_count
from corver.calibrate.sample import COUNT_EDGES
from corver.calibrate.study import Settings, study
from corver.reward.levels import PAPER_LEVELS

PUBLISHED = {0: 0.24, 2: 0.53, 7: 0.70, 15: 0.73, 50: 0.81}


def test_the_published_curve_rises_and_its_two_largest_jumps_are_thresholds_of_the_paper() -> None:
    table = {count: (round(140 * rate), 140 - round(140 * rate)) for count, rate in PUBLISHED.items()}
    found = study(by_count(table), "count", settings=Settings(draws=500, permutations=500))
    assert [one.name for one in found.bins] == ["0", "1–4", "5–9", "10–19", "20+"]
    assert [one.probability.value for one in found.bins] == pytest.approx(list(PUBLISHED.values()), abs=0.004)
    assert found.monotone.trend_p < 0.01
    assert found.monotone.departure_p == 1.0
    assert [jump.threshold for jump in found.jumps.proposed] == [1, 5]
    assert [round(jump.rise.value, 2) for jump in found.jumps.proposed] == [0.29, 0.17]


def test_the_bins_contain_the_papers_thresholds() -> None:
    assert set(PAPER_LEVELS.thresholds) < set(COUNT_EDGES)
