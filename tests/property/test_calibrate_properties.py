"""What holds for every labelled set: order means nothing, monotone maps keep the ranking, rates stay rates."""

from __future__ import annotations

import csv
import io
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration import sentence, set_of
from corver.calibrate.agreement import kappa
from corver.calibrate.columns import columns_of
from corver.calibrate.fit import fit_map, why_not_folded
from corver.calibrate.labelled import LabelledSet
from corver.calibrate.monotone import monotonicity
from corver.calibrate.ranking import auroc
from corver.calibrate.reliability import reliability
from corver.calibrate.sample import draw
from corver.calibrate.scored import ScoredSentence, sentence_id
from corver.calibrate.sheet import COLUMNS, sheet_bytes
from corver.calibrate.study import Settings, study

QUICK = Settings(draws=100, permutations=50, folds=2)

COUNTS = st.one_of(st.integers(0, 30), st.integers(0, 10**12))


@st.composite
def labelled_sets(draw_from: Any) -> LabelledSet:
    rows = draw_from(
        st.lists(st.tuples(COUNTS, st.booleans(), st.integers(0, 5), st.floats(0.01, 100)), min_size=1, max_size=40)
    )
    return set_of(
        [
            sentence(f"{number:03d}", truth, count=count, group=str(group), weight=weight)
            for number, (count, truth, group, weight) in enumerate(rows)
        ]
    )


ANY_PROBABILITIES = st.lists(
    st.tuples(st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1)), st.booleans(), st.floats(0.01, 1000)),
    min_size=1,
    max_size=60,
)
BINNINGS = st.sampled_from(["equal_width", "equal_mass"])


@given(ANY_PROBABILITIES, st.integers(1, 30), BINNINGS)
def test_calibration_error_lies_in_the_unit_interval_and_bins_hold_everything(
    rows: list[tuple[float, bool, float]], bins: int, binning: Any
) -> None:
    probability, truth, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    found = reliability(probability, truth, weight, bins=bins, binning=binning)
    assert 0 <= found.ece <= 1
    assert 0 <= found.ece_if_right.low <= found.ece_if_right.high <= 1
    assert sum(one.size for one in found.bins) == len(rows)
    assert sum(one.share for one in found.bins) == pytest.approx(1)
    assert len(found.bins) <= bins
    assert all(one.low <= one.predicted + 1e-12 and one.predicted <= one.high + 1e-12 for one in found.bins)
    # not less than the error of the mean: |Σ w (truth − probability)| / Σ w
    assert found.ece >= abs(weight @ (truth - probability)) / weight.sum() - 1e-9


@given(ANY_PROBABILITIES, st.integers(1, 30), BINNINGS, st.randoms())
def test_the_order_of_sentences_changes_no_bin(
    rows: list[tuple[float, bool, float]], bins: int, binning: Any, chance: random.Random
) -> None:
    def look(rows: list[tuple[float, bool, float]]) -> tuple[float, list[int]]:
        probability, truth, _ = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
        found = reliability(probability, truth, bins=bins, binning=binning)
        return found.ece, [one.size for one in found.bins]

    shuffled = chance.sample(rows, len(rows))
    ece, sizes = look(rows)
    again, same = look(shuffled)
    assert again == pytest.approx(ece)
    assert same == sizes


@given(labelled_sets(), st.randoms())
def test_a_study_does_not_depend_on_the_order_of_its_labels(labelled: LabelledSet, chance: random.Random) -> None:
    shuffled = set_of(chance.sample(labelled.items, len(labelled.items)))
    assert study(shuffled, "count", settings=QUICK).to_json() == study(labelled, "count", settings=QUICK).to_json()


@given(labelled_sets())
def test_a_study_says_nothing_impossible(labelled: LabelledSet) -> None:
    found = study(labelled, "count", settings=QUICK)
    assert sum(one.size for one in found.bins) == found.size == len(labelled.items)
    for one in found.bins:
        rate = one.probability
        assert (
            math.isnan(rate.value)
            if not one.size
            else 0 <= rate.low <= rate.value + 1e-9 <= rate.high + 2e-9 <= 1 + 3e-9
        )
    fit = [value for value in found.monotone.isotonic if value is not None]
    assert fit == pytest.approx(sorted(fit))
    assert all(jump.rise.value > 0 and 0 <= jump.stability <= 1 for jump in found.jumps.proposed)
    assert math.isnan(found.auroc.value) == (len({item.truth for item in labelled.items}) < 2)
    assert math.isnan(found.brier) or 0 <= found.brier <= 1


@given(labelled_sets(), st.sampled_from(["platt", "isotonic"]), st.lists(COUNTS, min_size=1, max_size=20))
def test_maps_give_probabilities_that_rise_or_fall_with_the_score(
    labelled: LabelledSet, method: Any, asked: list[int]
) -> None:
    columns = columns_of(labelled, "count")
    if columns.one_class is not None:
        assert why_not_folded(columns, folds=2, seed=0) is not None
        return
    found = fit_map(columns, method, "count", labelled=labelled)
    values = found.probability(sorted(asked))
    assert ((values >= 0) & (values <= 1)).all()
    steps = np.diff(values)
    assert (steps >= -1e-12).all() or (method == "platt" and found.slope < 0 and (steps <= 1e-12).all())
    if method == "isotonic":
        assert ((values > 0) & (values < 1)).all()


@given(st.lists(st.tuples(st.integers(-50, 50), st.booleans()), min_size=2, max_size=60))
def test_a_monotone_map_of_the_scores_keeps_the_area(rows: list[tuple[int, bool]]) -> None:
    score = np.array([value for value, _ in rows], dtype=float)
    truth = np.array([label for _, label in rows], dtype=float)
    weight = np.ones((1, len(rows)))
    area = auroc(score, truth, weight)[0]
    for mapped in (score * 3 - 7, np.arctan(score), score**3):
        assert auroc(mapped, truth, weight)[0] == pytest.approx(area, nan_ok=True)
    assert auroc(-score, truth, weight)[0] == pytest.approx(1 - area, nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=8))
def test_p_values_are_probabilities_and_never_0(bins: list[tuple[int, int]]) -> None:
    size = [true + false for true, false in bins]
    found = monotonicity(size, [true for true, _ in bins], permutations=20)
    if found.reason is None:
        assert 0 < found.trend_p <= 1
        assert 0 < found.departure_p <= 1
        assert min(found.trend, found.departure) >= 0


@given(st.lists(st.integers(0, 30), min_size=9, max_size=9))
def test_kappa_is_the_same_from_both_sides_and_at_most_1(cells: list[int]) -> None:
    table = np.array(cells, dtype=np.int64).reshape(1, 3, 3)
    for weighting in ("none", "linear", "quadratic"):
        one, other = kappa(table, weighting)[0], kappa(table.transpose(0, 2, 1), weighting)[0]
        assert one == pytest.approx(other, nan_ok=True)
        assert math.isnan(one) or one <= 1 + 1e-12


TEXTS = st.text(min_size=1, max_size=40)


@given(st.lists(TEXTS, min_size=1, max_size=20, unique=True), st.integers(1, 5), st.randoms())
def test_any_text_goes_into_a_sheet_and_comes_back_as_one_row(
    texts: list[str], per_stratum: int, chance: random.Random
) -> None:
    sentences = [
        ScoredSentence(
            sentence_id(text, None, 0, len(text)), text, None, None, None,
            {"start": 0, "end": len(text), "status": "supported", "level": len(text) % 4},
        )
        for text in texts
    ]  # fmt: skip
    drawing = draw(sentences, per_stratum=per_stratum)
    again = draw(chance.sample(sentences, len(sentences)), per_stratum=per_stratum)
    assert again.stratum_of == drawing.stratum_of
    assert sum(size for size, _ in drawing.strata.values()) == len(texts)
    assert all(drawn == min(size, per_stratum) for size, drawn in drawing.strata.values())
    rows = list(csv.reader(io.StringIO(sheet_bytes(drawing.sentences).decode(), newline="")))
    assert rows[0] == list(COLUMNS)
    assert [row[0] for row in rows[1:]] == [one.id for one in drawing.sentences]
    assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for row in rows[1:] for cell in row if cell)
