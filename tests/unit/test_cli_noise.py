"""`corver noise`: rates of verifiers and rewards of levels, and what it says of files that hold neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy.stats import binomtest
from typer.testing import CliRunner, Result

from corver.calibrate.rates import LevelRate, SentenceRates, Verdict
from corver.cli.app import app
from corver.errors import InputError
from corver.evaluate.stats import Estimate
from corver.evaluate.verifier import VerifierRates, measure_verifier

ANSWERS = (
    ("warsaw", "Warsaw", True),
    ("Warszawa, Poland", "Warsaw", True),
    ("Paris", "Warsaw", False),
    ("Warsaw is not it", "Warsaw", False),
    ("Ulm", "Ulm", True),
    ("Bern", "Ulm", False),
)


def corver(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="corver")


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    rows = [{"prediction": said, "answers": [gold], "truth": truth} for said, gold, truth in ANSWERS]
    return write(tmp_path / "judged.jsonl", [*rows, {"prediction": "?", "answers": ["x"], "truth": "unsure"}])


def test_a_judge_rule_is_measured_against_people(judged: Path) -> None:
    found = json.loads(corver("noise", "measure", judged, "--judge", "words", "--json").stdout)
    assert (found["right"], found["wrong"], found["skipped"]) == (3, 3, 1)
    assert found["false_negative"]["value"] == pytest.approx(1 / 3)
    assert found["false_positive"]["value"] == pytest.approx(1 / 3)
    assert found["verifier"] == "words"


@pytest.mark.parametrize("interval", ["wilson", "exact"])
def test_verdicts_in_a_table_and_both_intervals(tmp_path: Path, interval: str) -> None:
    lines = ["checker,human"] + ["1,correct"] * 30 + ["0,correct"] * 10 + ["0,wrong"] * 45 + ["1,wrong"] * 5
    file = tmp_path / "verdicts.csv"
    file.write_text("\n".join(lines) + "\n")
    rates = measure_verifier(file, verifier_field="checker", truth_field="human", interval=interval)
    for estimate, (errors, trials) in ((rates.false_negative, (10, 40)), (rates.false_positive, (5, 50))):
        known = binomtest(errors, trials).proportion_ci(method=interval)
        assert estimate.value == errors / trials
        assert (estimate.low, estimate.high) == pytest.approx((known.low, known.high), abs=1e-9)


def test_the_file_that_a_run_names(judged: Path, tmp_path: Path) -> None:
    result = corver("noise", "measure", judged, "--judge", "words", "--output", tmp_path / "rates.json")
    assert result.exit_code == 0
    assert "ρ1, right rejected  0.3333" in result.stdout
    rates = VerifierRates.load(tmp_path / "rates.json")
    assert rates.false_negative.value == pytest.approx(1 / 3)
    assert rates == VerifierRates.load(tmp_path / "rates.json")


def test_hopeless_rates_are_told(tmp_path: Path) -> None:
    rows = [{"verifier": not truth, "truth": truth} for truth in (True, False)] * 3
    result = corver("noise", "measure", write(tmp_path / "v.jsonl", rows))
    assert result.exit_code == 0
    assert "says nothing" in result.stderr


@pytest.mark.parametrize(
    ("rows", "words", "told"),
    [
        ([{"verifier": 1}], (), "v.jsonl:1: has no field 'truth' (it has verifier)"),
        ([{"verifier": "maybe", "truth": 1}], (), "verifier is 'maybe', expected true or false"),
        ([{"verifier": 1, "truth": 1}], (), "holds no wrong answer"),
        ([{"prediction": "a", "truth": 1}], ("--judge", "words"), "needs the fields prediction (text) and answers"),
        ([], (), "holds no"),
    ],
)
def test_files_that_hold_no_rates_are_refused_in_one_line(tmp_path, rows, words, told) -> None:
    result = corver("noise", "measure", write(tmp_path / "v.jsonl", rows), *words)
    assert result.exit_code == 1
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"format": "corver verifier rates", "version": 1}', '{"format": "x", "version": 1}']
)
def test_damaged_rates_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "rates.json").write_text(text)
    with pytest.raises(InputError, match="verifier rates"):
        VerifierRates.load(tmp_path / "rates.json")
    with pytest.raises(InputError, match="no such file"):
        VerifierRates.load(tmp_path / "none.json")


def sentence_rates(path: Path) -> Path:
    shares, trues = (0.4, 0.3, 0.2, 0.1), (0.24, 0.53, 0.7, 0.81)
    levels = [
        LevelRate(level, 100, round(100 * true), share, Estimate(true, true - 0.1, true + 0.1))
        for level, (share, true) in enumerate(zip(shares, trues, strict=True))
    ]
    SentenceRates("set", None, 400, Estimate(0.476, 0.4, 0.5), tuple(levels), ()).save(path)
    return path


def test_rewards_of_levels_are_shown_beside_the_papers(tmp_path: Path) -> None:
    file = sentence_rates(tmp_path / "rates.json")
    found = json.loads(corver("noise", "levels", file, "--json").stdout)
    assert [row["paper"] for row in found["levels"]] == [-0.3, -0.1, 0.0, 0.1]
    assert found["means"]["corrected"] == [0.1, -0.3]
    assert found["means"]["paper"][0] < 0 < found["levels"][3]["corrected"]
    shown = corver("noise", "levels", file)
    assert shown.exit_code == 0
    assert "mean of true" in shown.stdout
    upside_down = corver("noise", "levels", file, "--true", "-0.3", "--false", "0.1")
    assert (upside_down.exit_code, "--true: must be more than --false" in upside_down.stderr) == (2, True)
    refused = corver("noise", "levels", tmp_path / "none.json")
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (1, 1)


def rates_of(path: Path, trues: tuple[float, ...], verdicts: tuple[Verdict, ...] = ()) -> Path:
    levels = [LevelRate(k, 100, round(100 * p), 0.25, Estimate(p, p - 0.1, p + 0.1)) for k, p in enumerate(trues)]
    SentenceRates("set", None, 400, Estimate(0.5, 0.4, 0.6), tuple(levels), verdicts).save(path)
    return path


@pytest.mark.parametrize("trues", [(0.52, 0.41, 0.50, 0.50), (0.5, 0.5, 0.5, 0.5), (0.3, 0.6, 0.6, 0.4)])
def test_levels_that_say_nothing_are_refused_in_one_line(tmp_path: Path, trues: tuple[float, ...]) -> None:
    result = corver("noise", "levels", rates_of(tmp_path / "rates.json", trues))
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert "are not true more often than those below" in result.stderr


def test_levels_that_may_say_nothing_are_warned_of_in_one_line(tmp_path: Path) -> None:
    doubtful = Verdict(1, Estimate(0.2, 0.1, 0.3), Estimate(0.7, 0.6, 0.8))
    clear = Verdict(2, Estimate(0.2, 0.15, 0.25), Estimate(0.7, 0.65, 0.75))
    file = rates_of(tmp_path / "rates.json", (0.3, 0.4, 0.6, 0.55), (doubtful, clear))
    result = corver("noise", "levels", file)
    assert result.exit_code == 0
    assert "corrected" in result.stdout
    assert len(result.stderr.splitlines()) == 1
    assert "warning: set: sentences of level 1 and above may be true no more often" in result.stderr
    assert "level 2 and above" not in result.stderr
    assert "P(true) falls from level 2 to 3 (0.600, 0.550)" in result.stderr
    told = corver("noise", "levels", file, "--json")
    assert json.loads(told.stdout)["caution"] in told.stderr
    assert corver("noise", "levels", sentence_rates(file)).stderr == ""


def test_a_verifier_that_may_say_nothing_is_warned_of(tmp_path: Path) -> None:
    rows = [{"verifier": verdict, "truth": truth} for truth in (True, False) for verdict in (truth, truth, not truth)]
    few = corver("noise", "measure", write(tmp_path / "few.jsonl", rows), "--json")
    assert (few.exit_code, len(few.stderr.splitlines())) == (0, 1)
    assert "warning: verifier: may say nothing about what is right" in few.stderr
    assert corver("noise", "measure", write(tmp_path / "many.jsonl", rows * 50)).stderr == ""
