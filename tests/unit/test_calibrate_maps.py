"""Maps from score to probability and rates of levels: fits against formulas, files that are refused."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from calibration import by_count, sentence, set_of
from corver.calibrate.columns import columns_of
from corver.calibrate.fit import fit_map, folds_of, out_of_fold, validated, why_not_folded
from corver.calibrate.labelled import LabelledSet
from corver.calibrate.maps import CalibrationMap, Method
from corver.calibrate.rates import SentenceRates, rates_by_level
from corver.errors import InputError, UsageError

TABLE = {0: (24, 76), 2: (53, 47), 7: (35, 15), 12: (37, 13), 40: (81, 19)}


def fitted(method: Method, labelled: LabelledSet | None = None) -> CalibrationMap:
    labelled = labelled or by_count(TABLE)
    return fit_map(columns_of(labelled, "count"), method, "count", labelled=labelled)


# -- fits --------------------------------------------------------------------------------------------------------------


def test_platt_minimises_the_cross_entropy_to_his_targets() -> None:
    columns = columns_of(by_count(TABLE), "count")
    x, truth = np.log1p(columns.score_N), columns.truth_N
    positive, negative = truth.sum(), (1 - truth).sum()
    target = np.where(truth == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(parameters: Any) -> float:
        logit = parameters[0] * x + parameters[1]
        return float(np.sum(np.logaddexp(0, logit) - target * logit))

    best = minimize(loss, [0.0, 0.0], tol=1e-12).x
    found = fitted("platt")
    assert (found.slope, found.intercept) == pytest.approx(tuple(best), abs=1e-4)
    assert found.probability(7) == pytest.approx(1 / (1 + math.exp(-(best[0] * math.log(8) + best[1]))), abs=1e-5)


def test_platt_stays_finite_on_labels_that_a_threshold_separates() -> None:
    found = fitted("platt", by_count({0: (0, 50), 30: (50, 0)}))
    assert 0 < found.slope < 100
    # at the two scores the fit meets the targets themselves
    assert found.probability([0, 30]) == pytest.approx([1 / 52, 51 / 52], abs=1e-4)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_scores_all_alike_give_the_base_rate(method: Method) -> None:
    found = fitted(method, by_count({3: (30, 10)}))
    assert found.probability([0, 3, 10**6]) == pytest.approx([0.75] * 3, abs=0.02)


def test_isotonic_is_scikit_learns_with_one_more_sentence_a_step() -> None:
    labelled = by_count({0: (0, 20), 2: (12, 8), 7: (9, 11), 40: (20, 0)})
    columns = columns_of(labelled, "count")
    found = fitted("isotonic", labelled)
    plain = IsotonicRegression(out_of_bounds="clip").fit(np.log1p(columns.score_N), columns.truth_N)
    assert plain.predict(np.log1p([0, 2, 7, 40])) == pytest.approx([0, 21 / 40, 21 / 40, 1])
    mean = 41 / 80
    steps = [mean / 21, (21 + mean) / 41, (20 + mean) / 21]
    assert found.probability([0, 2, 5, 7, 40, 5000]) == pytest.approx([steps[0], *[steps[1]] * 3, *[steps[2]] * 2])
    halfway = math.expm1((math.log1p(7) + math.log1p(40)) / 2)
    assert found.probability(halfway) == pytest.approx((steps[1] + steps[2]) / 2)


def test_isotonic_steps_that_the_added_sentence_puts_out_of_order_are_pooled() -> None:
    # one false sentence in front of nine at 1 of 9: (0 + m)/2 is above (1 + m)/10
    labelled = by_count({0: (0, 1), 2: (1, 8), 40: (9, 1)})
    found = fitted("isotonic", labelled)
    mean = 10 / 20
    assert found.probability([0, 2]) == pytest.approx([(0 + mean + 1 + mean) / 12] * 2)
    assert found.probability(40) == pytest.approx((9 + mean) / 11)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_weight_of_three_is_three_sentences(method: Method) -> None:
    heavy = by_count({0: (5, 15), 9: (15, 5)}, weight={0: 3.0, 9: 1.0})
    threefold = by_count({0: (15, 45), 9: (15, 5)})
    one, three = (fitted(method, labelled).probability([0, 3, 9]) for labelled in (heavy, threefold))
    assert one == pytest.approx(three, abs=0.03)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_one_class_cannot_be_fitted(method: Method) -> None:
    with pytest.raises(InputError, match="all 4 labels are false; a map needs both"):
        fitted(method, by_count({0: (0, 2), 9: (0, 2)}))


def test_groups_stay_together_in_folds_and_folds_are_even() -> None:
    labelled = set_of([sentence(f"{n:03d}", n % 2 == 0, count=n, group=str(n // 4)) for n in range(100)])
    columns = columns_of(labelled, "count")
    fold_N = folds_of(columns, folds=5, seed=0)
    assert np.bincount(fold_N).tolist() == [20] * 5
    assert all(len(set(fold_N[columns.group_N == group])) == 1 for group in range(25))


def test_probabilities_out_of_fold_do_not_know_their_own_labels() -> None:
    # Every count occurs in one group only, whose label a map that had seen it would repeat.
    labelled = set_of([sentence(f"{n:03d}", n % 2 == 0, count=n // 2, group=str(n)) for n in range(200)])
    columns = columns_of(labelled, "count")
    unseen = out_of_fold(columns, "isotonic", "count", labelled=labelled)
    assert np.abs(unseen - 0.5).mean() < 0.2
    assert abs(np.corrcoef(unseen, columns.truth_N)[0, 1]) < 0.35


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({0: (5, 0)}, "all 5 labels are true"),
        ({0: (2, 1)}, "3 groups of sentences are too few for 5 folds"),
        ({0: (19, 1)}, "too few false labels for 5 folds"),
    ],
)
def test_too_few_labels_to_cross_validate(table: dict[int, tuple[int, int]], reason: str) -> None:
    labelled = by_count(table)
    columns = columns_of(labelled, "count")
    assert reason in (why_not_folded(columns, folds=5, seed=0) or "")
    with pytest.raises(InputError, match=reason):
        out_of_fold(columns, "platt", "count", labelled=labelled)


def test_a_map_carries_what_it_is_worth_on_labels_not_seen() -> None:
    labelled = by_count(TABLE)
    columns = columns_of(labelled, "count")
    found = fitted("platt", labelled)
    figures = validated(found, columns, labelled=labelled, folds=4, draws=100).validation
    unseen = out_of_fold(columns, "platt", "count", labelled=labelled, folds=4)
    assert figures["brier"] == pytest.approx(np.mean((unseen - columns.truth_N) ** 2))
    assert figures["folds"] == 4
    few = by_count({0: (2, 1)})
    assert validated(found, columns_of(few, "count"), labelled=few).validation == {
        "reason": "3 groups of sentences are too few for 5 folds"
    }


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_map_comes_back_from_its_file(tmp_path: Path, method: Method) -> None:
    path = tmp_path / "map.json"
    found = fitted(method)
    found.save(path)
    again = CalibrationMap.load(path)
    assert again == found
    assert (again.probability([0, 3, 99]) == found.probability([0, 3, 99])).all()
    assert json.loads(path.read_text())["caution"] == (
        "calibrated on 400 labels of set.csv; does not carry over to other text"
    )


def test_shapes_and_gaps_are_kept() -> None:
    found = fitted("platt")
    assert found.probability([[0.0, 1.0], [2.0, math.nan]]).shape == (2, 2)
    assert math.isnan(found.probability([math.nan])[0])
    assert found.probability(5).shape == ()


def test_a_sentence_without_a_verdict_has_no_probability() -> None:
    found = fitted("platt")
    assert found.of_sentence({"status": "supported", "count": 3}) == pytest.approx(float(found.probability(3)))
    assert found.of_sentence({"status": "unsupported", "count": 0}) is not None
    for status, count in (("no_claim", None), ("failed", None), ("no_evidence", 0), ("supported", None)):
        assert found.of_sentence({"status": status, "count": count}) is None


def test_a_map_belongs_to_one_scorer() -> None:
    found = fitted("platt")
    assert found.check("abc") is None
    with pytest.raises(UsageError, match="belongs to scorer abc, these scores are of def"):
        found.check("def")
    nobody = fitted("platt", set_of(by_count(TABLE).items, scorer=None))
    assert "does not say which scorer" in (nobody.check("def") or "")


def test_exact_and_capped_counts_do_not_mix() -> None:
    with pytest.raises(UsageError, match="--exact"):
        fitted("platt").check("abc", exact_counts=False)
    capped = set_of([sentence(f"{n:03d}", n % 3 > 0, count=20 if n % 2 else 1, capped=n % 2 == 1) for n in range(60)])
    found = fitted("platt", capped)
    assert found.cap == 20
    assert found.check("abc", exact_counts=False) is None
    assert found.probability(5000) == found.probability(20)


def damaged(**changes: Any) -> str:
    return json.dumps(fitted("isotonic").to_json() | changes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense", "not JSON"),
        ("[]", "holds no corver calibration map"),
        ("{}", "holds no corver calibration map; corver calibrate fit writes"),
        (damaged(version=9), "version 9"),
        (damaged(method="forest"), "unknown method"),
        (damaged(transform="identity"), "unknown method, score or transform"),
        (damaged(parameters={}), "'points'"),
        (damaged(parameters={"points": []}), "do not rise"),
        (damaged(parameters={"points": [[0, 0.9], [1, 0.1]]}), "do not rise"),
        (damaged(parameters={"points": [[0, 0.1], [0, 0.2]]}), "do not rise"),
        (damaged(parameters={"points": [[0, 0.1], [1, 1.2]]}), "leave"),
        (damaged(parameters={"points": [[0, "x"]]}), "is no number"),
        (damaged(labels=-1), "no number of labels"),
        (damaged(cap=10**400), "no number of labels or occurrences"),
        (damaged(parameters={"points": [[0, "x" * 400]]}), r"^.{,200}$"),
        (damaged(scorer=3), "must be names"),
    ],
)
def test_a_damaged_map_is_refused_in_one_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        CalibrationMap.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_applying_a_map_loads_no_library_but_numpy(tmp_path: Path) -> None:
    path = tmp_path / "map.json"
    fitted("isotonic").save(path)
    code = (
        "import sys; from pathlib import Path; from corver.calibrate.maps import CalibrationMap; "
        f"CalibrationMap.load(Path({str(path)!r})).probability([1, 2]); "
        "print(sorted({'sklearn', 'scipy', 'torch', 'matplotlib', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# -- rates -------------------------------------------------------------------------------------------------------------


def test_error_rates_of_each_threshold_by_hand() -> None:
    # levels 0, 1, 3 with 20 of 100, 30 of 50 and 45 of 50 true: 105 false, 95 true
    found = rates_by_level(by_count({0: (20, 80), 3: (30, 20), 40: (45, 5)}), draws=300)
    assert [(one.level, one.size, one.true) for one in found.levels] == [(0, 100, 20), (1, 50, 30), (3, 50, 45)]
    assert [one.level for one in found.verdicts] == [1, 2, 3]
    first, second, third = found.verdicts
    assert (first.rho0.value, first.rho1.value) == pytest.approx((25 / 105, 20 / 95))
    assert (second.rho0.value, second.rho1.value) == pytest.approx((5 / 105, 50 / 95))
    assert (third.rho0, third.rho1) == (second.rho0, second.rho1)
    assert all(one.informative and one.rho0.low < one.rho0.value < one.rho0.high for one in found.verdicts)


def test_rates_are_those_of_the_population() -> None:
    # 1,000 sentences at level 0 of which 10 % are true, 100 at level 3 of which 90 % are; 50 of each were labelled
    found = rates_by_level(by_count({0: (5, 45), 40: (45, 5)}, weight={0: 20.0, 40: 2.0}), draws=300)
    [*_, last] = found.verdicts
    assert last.rho0.value == pytest.approx(10 / 910)
    assert last.rho1.value == pytest.approx(100 / 190)
    assert found.base_rate.value == pytest.approx(190 / 1100)


def test_rates_come_back_from_their_file(tmp_path: Path) -> None:
    path = tmp_path / "rates.json"
    found = rates_by_level(by_count(TABLE), draws=200)
    found.save(path)
    again = SentenceRates.load(path)
    assert again == found
    assert again.verdict(2).rho0 == found.verdicts[1].rho0
    with pytest.raises(InputError, match="no rates for a verdict from level 7 up"):
        again.verdict(7)
    path.write_text(json.dumps(found.to_json() | {"levels": [{}]}))
    with pytest.raises(InputError, match="damaged"):
        SentenceRates.load(path)
    path.write_text(json.dumps(found.to_json() | {"labels": math.inf}))
    with pytest.raises(InputError, match="damaged"):
        SentenceRates.load(path)
    path.write_text("{}")
    with pytest.raises(InputError, match="holds no corver sentence rates"):
        SentenceRates.load(path)


def test_one_class_has_levels_but_no_error_rates() -> None:
    found = rates_by_level(by_count({0: (3, 0), 9: (3, 0)}), draws=200)
    assert len(found.levels) == 2
    assert found.verdicts == ()
