"""Bins, tests of monotonicity, jumps, ranking, reliability and agreement: values by hand and from other libraries."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from calibration import by_count, sentence, set_of
from corver.calibrate.agreement import agreement, kappa, read_pair
from corver.calibrate.bins import bins_of, edges_of, membership, rate
from corver.calibrate.columns import Score, columns_of, effective_size, left_out_of, resamples, score_value
from corver.calibrate.jumps import largest_jumps
from corver.calibrate.labelled import LabelledSentence
from corver.calibrate.monotone import monotonicity
from corver.calibrate.ranking import auroc, auroc_of
from corver.calibrate.reliability import brier, reliability
from corver.calibrate.sheet import SheetRow
from corver.calibrate.study import Settings, study
from corver.errors import InputError, UsageError

QUICK = Settings(draws=200, permutations=200)

# -- bins --------------------------------------------------------------------------------------------------------------


def test_counts_fall_into_the_published_bins_with_wilson_intervals() -> None:
    columns = columns_of(by_count({0: (24, 76), 3: (53, 47), 7: (7, 3), 1000: (81, 19)}), "count")
    edges = edges_of(columns, "count")
    bins = bins_of(columns, "count", edges)
    assert [(one.name, one.size, one.true) for one in bins] == [
        ("0", 100, 24), ("1–4", 100, 53), ("5–9", 10, 7), ("10–19", 0, 0), ("20+", 100, 81),
    ]  # fmt: skip
    # Wilson 1927 for 24 of 100: centre (0.24 + z²/200)/(1 + z²/100), half width z·sqrt(...)/(1 + z²/100)
    found = bins[0].probability
    assert (found.value, found.low, found.high) == pytest.approx((0.24, 0.1669, 0.3323), abs=5e-5)
    assert math.isnan(bins[3].probability.value)
    assert sum(one.share for one in bins) == pytest.approx(1)


def test_weights_bring_a_stratified_sample_back_to_its_population() -> None:
    labelled = by_count({0: (10, 40), 30: (40, 10)}, weight={0: 9.0, 30: 1.0})
    columns = columns_of(labelled, "count")
    assert rate(columns.truth_N, columns.weight_N).value == pytest.approx((9 * 10 + 40) / (9 * 50 + 50))
    bins = bins_of(columns, "count", [0.0, 1.0])
    assert [one.probability.value for one in bins] == pytest.approx([0.2, 0.8])
    assert [one.share for one in bins] == pytest.approx([0.9, 0.1])


def test_unequal_weights_tell_as_much_as_fewer_sentences() -> None:
    assert effective_size(np.array([1.0, 1.0, 1.0, 1.0])) == pytest.approx(4)
    assert effective_size(np.array([1000.0, 1.0])) == pytest.approx(1, abs=0.01)
    assert effective_size(np.empty(0)) == 0
    even, uneven = (
        rate(np.array([1.0, 0.0, 1.0, 0.0]), np.array(weights)) for weights in ([1.0] * 4, [9.0, 9.0, 1.0, 1.0])
    )
    assert even.value == uneven.value == 0.5
    assert uneven.low < even.low


def test_scores_with_few_values_get_a_bin_each_and_others_ten() -> None:
    few = columns_of(set_of([sentence(str(n), True, count=1, reward=(n % 3) / 10) for n in range(30)]), "reward")
    assert [one.name for one in bins_of(few, "reward", edges_of(few, "reward"))] == ["0", "0.1", "0.2"]
    many = columns_of(set_of([sentence(f"{n:03d}", True, count=1, reward=n / 200) for n in range(200)]), "reward")
    assert [one.size for one in bins_of(many, "reward", edges_of(many, "reward"))] == [20] * 10
    alike = columns_of(set_of([sentence(str(n), n % 2 == 0, count=1, reward=0.1) for n in range(9)]), "reward")
    assert len(edges_of(alike, "reward")) == 1


@pytest.mark.parametrize("edges", [[5, 1], [1, 1], [0, 5], [-1], [float("nan")]])
def test_edges_must_rise(edges: list[float]) -> None:
    columns = columns_of(by_count({0: (1, 1)}), "count")
    with pytest.raises(UsageError, match="must rise"):
        edges_of(columns, "count", edges=edges)


def test_an_edge_belongs_to_the_bin_that_it_begins() -> None:
    assert membership(np.array([0.0, 0.5, 1.0, 4.0, 5.0, 1e9]), [0.0, 1.0, 5.0]).tolist() == [0, 0, 1, 1, 2, 2]


# -- scores ------------------------------------------------------------------------------------------------------------


def test_the_profile_score_is_the_weighted_mean_of_its_units() -> None:
    units = [{"weight": 1.0, "score": -1.0}, {"weight": 0.5, "score": 2.0}]
    assert score_value({"units": units}, "profile") == pytest.approx(0.0)
    for nothing in ([], None, [{"weight": 0.0, "score": 1.0}], [{"weight": 1.0}]):
        assert score_value({"units": nothing}, "profile") is None


@pytest.mark.parametrize("value", [None, True, "7", float("nan"), 10**400])
def test_what_is_no_number_is_no_score(value: Any) -> None:
    assert score_value({"count": value}, "count") is None


@pytest.mark.parametrize(
    ("score", "value"),
    [
        ("count", -1),
        ("count", 1e300),
        ("level", 0.5),
        ("level", 10**9),
        ("reward", 1e308),
        ("probability", 1.5),
    ],
)
def test_a_number_that_cannot_be_such_a_score_is_refused(score: Score, value: float) -> None:
    labelled = set_of([LabelledSentence("a", True, "a", {"status": "supported", score: value})])
    with pytest.raises(InputError, match=rf"^set\.csv: .* is no {score}: that is a"):
        columns_of(labelled, score)


def test_sentences_that_lack_the_score_are_told() -> None:
    labelled = set_of(
        [
            sentence("a", True, count=3),
            sentence("b", False, count=None, status="supported", capped=True),
            sentence("c", False, count=None),
        ]
    )
    assert left_out_of(labelled, "count") == {"without a count": 1}
    assert study(labelled, "count", settings=QUICK).to_json()["left_out"] == {"without a count": 1}


def test_sentences_without_a_verdict_have_no_part_in_the_curve() -> None:
    labelled = set_of([sentence("a", True, count=None), sentence("b", False, count=2)])
    assert columns_of(labelled, "count").size == 1
    with pytest.raises(InputError, match="no labelled sentence has a profile"):
        columns_of(labelled, "profile")


# -- resamples ---------------------------------------------------------------------------------------------------------


def test_groups_are_drawn_whole_and_strata_keep_their_weight() -> None:
    items = [
        sentence(f"{n:02d}", n % 2 == 0, count=n, group=str(n // 3), stratum=str(n % 2), weight=1.0 + n % 2)
        for n in range(12)
    ]
    columns = columns_of(set_of(items), "count")
    [weights] = resamples(columns, draws=50, seed=0)
    assert weights.shape == (50, 12)
    for stratum in (0, 1):
        inside = columns.stratum_N == stratum
        sums = weights[:, inside].sum(axis=1)
        assert sums[sums > 0] == pytest.approx(columns.weight_N[inside].sum())
    free = columns_of(set_of([sentence(f"{n:02d}", True, count=n, group=str(n // 3)) for n in range(12)]), "count")
    [weights] = resamples(free, draws=50, seed=0)
    assert (weights.reshape(50, 4, 3) == weights.reshape(50, 4, 3)[:, :, :1]).all()
    assert (weights.sum(axis=1) == 12).all()


# -- monotonicity ------------------------------------------------------------------------------------------------------


def test_the_likelihood_ratios_are_those_of_the_formula() -> None:
    # bins of 10: 2, 6, 4 true; the isotonic fit pools the last two to 5 of 10
    found = monotonicity([10, 10, 10], [2, 6, 4], permutations=100)

    def log_likelihood(*rates: float) -> float:
        return sum(k * math.log(p) + (10 - k) * math.log(1 - p) for k, p in zip([2, 6, 4], rates, strict=True))

    assert found.isotonic == pytest.approx((0.2, 0.5, 0.5))
    assert found.trend == pytest.approx(2 * (log_likelihood(0.2, 0.5, 0.5) - log_likelihood(0.4, 0.4, 0.4)))
    assert found.departure == pytest.approx(2 * (log_likelihood(0.2, 0.6, 0.4) - log_likelihood(0.2, 0.5, 0.5)))


def test_the_trend_has_the_exact_p_value_of_fisher_for_two_bins() -> None:
    # Two bins: the permutations are hypergeometric, and the one-sided test is Fisher's.
    from scipy.stats import fisher_exact

    exact = fisher_exact([[12, 8], [5, 15]], alternative="greater").pvalue
    found = monotonicity([20, 20], [5, 12], permutations=20_000)
    assert found.trend_p == pytest.approx(exact, abs=0.006)


def test_a_rise_is_found_and_a_fall_is_found() -> None:
    rising = monotonicity([100] * 4, [20, 40, 60, 80], permutations=500)
    assert rising.trend_p == pytest.approx(1 / 501)
    assert (rising.departure, rising.departure_p) == (pytest.approx(0, abs=1e-9), 1.0)
    falling = monotonicity([100] * 4, [80, 60, 40, 20], permutations=500)
    assert falling.trend_p == 1.0
    assert falling.departure_p == pytest.approx(1 / 501)


@pytest.mark.parametrize(
    ("size", "true", "reason"),
    [
        ([10, 0], [5, 0], "one bin"),
        ([10, 10], [0, 0], "all labels are false"),
        ([10, 10], [10, 10], "all labels are true"),
    ],
)
def test_what_cannot_be_tested_says_why(size: list[int], true: list[int], reason: str) -> None:
    found = monotonicity(size, true)
    assert reason in (found.reason or "")
    assert "trend" not in found.to_json()


# -- jumps -------------------------------------------------------------------------------------------------------------


def test_the_largest_rises_are_proposed_and_falls_never() -> None:
    labelled = by_count({0: (10, 90), 1: (60, 40), 5: (50, 50), 10: (55, 45), 20: (90, 10)})
    columns = columns_of(labelled, "count")
    found = largest_jumps(columns, [0.0, 1.0, 5.0, 10.0, 20.0], most=2, draws=300, seed=0)
    assert [(jump.threshold, round(jump.rise.value, 3)) for jump in found.proposed] == [(1.0, 0.5), (20.0, 0.35)]
    assert all(jump.stability > 0.95 for jump in found.proposed)
    assert found.together > 0.9
    every = largest_jumps(columns, [0.0, 1.0, 5.0, 10.0, 20.0], most=9, draws=100, seed=0)
    assert [jump.threshold for jump in every.proposed] == [1.0, 10.0, 20.0]


def test_an_empty_bin_is_jumped_over() -> None:
    columns = columns_of(by_count({0: (10, 90), 30: (90, 10)}), "count")
    [jump] = largest_jumps(columns, [0.0, 1.0, 5.0, 10.0, 20.0], most=2, draws=100, seed=0).proposed
    assert (jump.threshold, jump.rise.value) == (20.0, pytest.approx(0.8))


def test_nothing_is_proposed_where_nothing_rises() -> None:
    flat = columns_of(by_count({0: (5, 5), 30: (4, 6)}), "count")
    assert largest_jumps(flat, [0.0, 1.0], most=2, draws=100, seed=0).proposed == ()
    alone = columns_of(by_count({0: (5, 5)}), "count")
    assert largest_jumps(alone, [0.0, 1.0], most=2, draws=100, seed=0).to_json() == {"thresholds": [], "together": None}


# -- ranking -----------------------------------------------------------------------------------------------------------


def test_the_area_is_that_of_scikit_learn_with_ties_and_weights() -> None:
    rng = np.random.default_rng(0)
    score, truth = rng.integers(0, 5, 200).astype(float), rng.integers(0, 2, 200).astype(float)
    weights = rng.random((3, 200))
    found = auroc(score, truth, weights)
    expected = [roc_auc_score(truth, score, sample_weight=row) for row in weights]
    assert found == pytest.approx(expected, abs=1e-12)


def test_by_hand_two_pairs_of_three_are_won() -> None:
    assert auroc(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, 0.0, 1.0]), np.ones((1, 4)))[0] == 0.75
    assert auroc(np.ones(4), np.array([0.0, 1.0, 0.0, 1.0]), np.ones((1, 4)))[0] == 0.5


def test_copies_of_a_sentence_in_its_group_make_no_interval_narrower() -> None:
    def area(copies: int, *, grouped: bool) -> tuple[float, float]:
        items = [
            sentence(f"{n:02d}-{copy}", n % 3 > 0, count=n % 7 + n % 3, group=f"{n:02d}" if grouped else None)
            for n in range(40)
            for copy in range(copies)
        ]
        found = auroc_of(columns_of(set_of(items), "count"), draws=400, seed=0)
        assert found.low < found.value < found.high
        return found.low, found.high

    once, grouped, alone = area(1, grouped=False), area(9, grouped=True), area(9, grouped=False)
    assert grouped == pytest.approx(once)
    assert alone[1] - alone[0] == pytest.approx((once[1] - once[0]) / 3, rel=0.2)


def test_one_class_has_no_area() -> None:
    found = study(by_count({0: (5, 0), 30: (5, 0)}), "count", settings=QUICK)
    assert math.isnan(found.auroc.value)
    assert found.reasons["auroc"] == "all 10 labels are true; a ranking needs both"
    assert found.reasons["reliability"] == "all 10 labels are true; a map needs both"
    assert found.to_json()["auroc"] == {"value": None, "low": None, "high": None}


# -- reliability -------------------------------------------------------------------------------------------------------


def ece(probability: list[float], truth: list[float], weight: list[float] | None = None, **options: Any) -> float:
    weights = None if weight is None else np.array(weight)
    return reliability(np.array(probability), np.array(truth), weights, **options).ece


def test_expected_calibration_error_by_hand() -> None:
    # ((0.05 + 0.1)/2 against 1/2) and (0.85 + 0.9 + 0.8)/3 against 1: (2·0.425 + 3·0.15)/5
    probability, truth = [0.05, 0.1, 0.85, 0.9, 0.81], [1.0, 0.0, 1.0, 1.0, 1.0]
    assert ece(probability, truth) == pytest.approx((abs(1 - 0.15) + abs(3 - 2.56)) / 5)


@pytest.mark.parametrize("binning", ["equal_width", "equal_mass"])
@pytest.mark.parametrize("bins", [1, 2, 10, 1000])
def test_probabilities_of_exactly_0_and_1_are_in_a_bin(bins: int, binning: Any) -> None:
    found = reliability(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0]), bins=bins, binning=binning)
    assert sum(one.size for one in found.bins) == 4
    assert sum(one.share for one in found.bins) == pytest.approx(1)
    assert found.ece == pytest.approx(0)
    assert ece([0.0, 1.0], [1.0, 0.0], bins=10, binning=binning) == pytest.approx(1)


def test_edges_of_equal_width_close_their_bin_above() -> None:
    found = reliability(np.array([0.1, 0.2, 0.3, 0.7]), np.zeros(4), bins=10)
    assert [(one.low, one.size) for one in found.bins] == [(0.1, 1), (0.2, 1), (0.3, 1), (0.7, 1)]
    together = reliability(np.array([0.0, 0.1, 0.1000001]), np.zeros(3), bins=10)
    assert [one.size for one in together.bins] == [2, 1]


@pytest.mark.parametrize("binning", ["equal_width", "equal_mass"])
def test_scores_all_alike_are_one_bin(binning: Any) -> None:
    found = reliability(np.full(50, 0.4), np.r_[np.ones(20), np.zeros(30)], binning=binning)
    [only] = found.bins
    assert (only.size, only.predicted, only.observed.value) == (50, pytest.approx(0.4), pytest.approx(0.4))
    assert found.ece == pytest.approx(0, abs=1e-12)


def test_fewer_sentences_than_bins_and_a_single_one() -> None:
    assert ece([0.2, 0.9], [0.0, 1.0], binning="equal_mass", bins=10) == pytest.approx(0.15)
    assert ece([0.25], [1.0]) == pytest.approx(0.75)


def test_equal_mass_keeps_ties_together_whatever_their_order() -> None:
    probability = np.array([0.5] * 7 + [0.1, 0.9, 0.9])
    truth = np.array([1, 0, 1, 0, 1, 1, 1, 0, 1, 1.0])
    found = reliability(probability, truth, binning="equal_mass", bins=5)
    assert sorted(one.size for one in found.bins) == [1, 2, 7]


def test_a_weight_of_two_is_two_sentences() -> None:
    once = ece([0.2, 0.6, 0.6, 0.9], [1.0, 0.0, 0.0, 1.0])
    assert ece([0.2, 0.6, 0.9], [1.0, 0.0, 1.0], [1.0, 2.0, 1.0]) == pytest.approx(once)


@pytest.mark.parametrize("probability", [[-0.01], [1.01], [float("nan")], []])
def test_what_is_no_probability_is_refused(probability: list[float]) -> None:
    with pytest.raises(UsageError):
        reliability(np.array(probability), np.ones(len(probability)))


def test_the_error_of_right_probabilities_is_what_chance_makes_it() -> None:
    rng = np.random.default_rng(1)
    probability = rng.random(400)
    truth = (rng.random(400) < probability).astype(float)
    found = reliability(probability, truth)
    assert found.ece_if_right.low < found.ece < found.ece_if_right.high
    assert reliability(probability**3, truth).ece > 2 * found.ece_if_right.high
    assert brier(np.array([0.0, 0.5]), np.array([1.0, 1.0]), np.array([1.0, 3.0])) == pytest.approx((1 + 3 / 4) / 4)


# -- the whole ---------------------------------------------------------------------------------------------------------


def test_edges_above_the_cap_of_counting_are_refused() -> None:
    labelled = set_of([sentence(str(n), n % 2 == 0, count=20, capped=True) for n in range(4)])
    with pytest.raises(UsageError, match="counting stopped at 20"):
        study(labelled, "count", settings=Settings(edges=[1, 50], draws=100, permutations=100))
    assert study(labelled, "count", settings=QUICK).bins[-1].size == 4


def test_states_stand_beside_the_bins() -> None:
    items = [sentence(f"c{n}", n < 3, count=0) for n in range(6)] + [
        sentence(f"n{n}", True, count=None) for n in range(2)
    ]
    found = study(set_of(items), "count", settings=QUICK)
    assert [(one.name, one.size, one.true, one.share) for one in found.states] == [("no_claim", 2, 2, 0.25)]
    assert found.size == 6
    assert sum(one.share for one in [*found.bins, *found.states]) == pytest.approx(1)


def test_given_probabilities_are_taken_as_they_are() -> None:
    items = [sentence(f"{n:02d}", n % 4 > 0, count=1, probability=0.75) for n in range(40)]
    found = study(set_of(items), "probability", settings=QUICK)
    assert [table.ece for table in found.reliability] == pytest.approx([0, 0], abs=1e-12)
    assert found.source == "the probabilities of the scored sentences"


# -- agreement ---------------------------------------------------------------------------------------------------------


def row(identity: str, label: str | None) -> SheetRow:
    return SheetRow(1, identity, label, {"sentence": f"Sentence {identity}."})


def pairs(*labels: tuple[str | None, str | None]) -> list[tuple[SheetRow, SheetRow]]:
    return [(row(str(number), one), row(str(number), two)) for number, (one, two) in enumerate(labels)]


def test_cohens_own_way_of_counting() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: p_o = .7, p_e = .5, kappa = .4
    labels = [("true", "true")] * 20 + [("true", "false")] * 5 + [("false", "true")] * 10 + [("false", "false")] * 15
    found = agreement(pairs(*labels), draws=500)
    assert found.kappa.value == pytest.approx(0.4)
    assert found.kappa.low < 0.4 < found.kappa.high
    assert found.raw.value == pytest.approx(0.7)
    assert found.table == ((20, 5, 0), (10, 15, 0), (0, 0, 0))
    assert len(found.disagreements) == 15


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn(weighting: Any) -> None:
    rng = np.random.default_rng(3)
    one = rng.integers(0, 4, 120)
    two = np.clip(one + rng.integers(-1, 2, 120), 0, 3)
    table = np.zeros((1, 4, 4), dtype=np.int64)
    np.add.at(table[0], (one, two), 1)
    expected = cohen_kappa_score(one, two, weights=None if weighting == "none" else weighting)
    assert kappa(table, weighting)[0] == pytest.approx(expected)


def test_one_label_alone_leaves_kappa_undefined_and_says_so() -> None:
    found = agreement(pairs(("true", "true"), ("true", "true")), draws=100)
    assert math.isnan(found.kappa.value)
    assert found.reason == "kappa is not defined: both annotators gave every sentence the label true"
    assert found.to_json()["kappa"] == {"value": None, "low": None, "high": None}
    assert found.raw.value == 1


def test_rows_that_one_left_empty_are_counted_apart() -> None:
    found = agreement(pairs(("true", "true"), ("false", None), (None, None), ("false", "false")), draws=100)
    assert (found.size, found.unlabelled, found.kappa.value) == (2, 2, 1.0)
    with pytest.raises(InputError, match="labelled by both"):
        agreement(pairs((None, "true")))


def sheets(folder: Path, first: str, second: str) -> tuple[Path, Path]:
    paths = folder / "a.csv", folder / "b.csv"
    for path, content in zip(paths, (first, second), strict=True):
        path.write_text("id,label\n" + content)
    return paths


def test_ids_in_one_sheet_only_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"b\.csv: lacks 4 ids of .*a\.csv \(b, c, d, …\)"):
        read_pair(*sheets(tmp_path, "a,true\nb,true\nc,true\nd,true\ne,true\n", "a,true\n"))
    with pytest.raises(InputError, match=r"a\.csv: lacks 1 ids of .*b\.csv \(z\)"):
        read_pair(*sheets(tmp_path, "a,true\n", "a,true\nz,true\n"))


def test_labels_of_ones_own_are_checked_against_their_list(tmp_path: Path) -> None:
    paths = sheets(tmp_path, "a,low\nb,high\n", "a,low\nb,\n")
    found = agreement(read_pair(*paths, labels=["low", "high"]), labels=["low", "high"], draws=100)
    assert (found.size, found.unlabelled) == (1, 1)
    with pytest.raises(InputError, match=r"a\.csv:3: 'high' is none of low, middle"):
        read_pair(*paths, labels=["low", "middle"])
    with pytest.raises(UsageError, match="different words"):
        agreement(pairs(("true", "true")), labels=["true", "true"])
