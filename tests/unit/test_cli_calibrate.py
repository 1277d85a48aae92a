"""`corver calibrate`: the way from scored texts to a map, and one line for every wrong step."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from corver.cli.app import app

SAMPLE = ("--draws", "200")


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["calibrate", *map(str, words)], prog_name="corver")


def verdict(count: int | None, end: int) -> dict[str, Any]:
    status = "no_claim" if count is None else "supported" if count else "unsupported"
    level = None if count is None else sum(count >= edge for edge in (1, 5, 20))
    return {"start": 0, "end": end, "text": "", "status": status, "count": count, "capped": False, "level": level,
            "reward": 0.0}  # fmt: skip


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """300 scored texts: 200 at count 0, 60 at 3, 40 at 100; `true` stands in the texts that are."""
    rows = []
    for number in range(300):
        count = 0 if number < 200 else 3 if number < 260 else 100
        true = number % 10 < {0: 2, 3: 5, 100: 9}[count]
        text = f"Sentence {number} is {'true' if true else 'false'}."
        rows.append({"id": number, "scorer": "abc", "text": text, "sentences": [verdict(count, len(text))]})
    rows.append({"id": 300, "scorer": "abc", "text": "Oh!", "sentences": [verdict(None, 3)]})
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def annotate(sheet: Path, *, wrong: int = 0) -> Path:
    """Label a sheet by what its sentences say; the first `wrong` of them wrongly."""
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"), newline="")))
    for number, row in enumerate(sorted(rows, key=lambda row: row["id"])):
        row["label"] = str(("true" in row["sentence"]) != (number < wrong))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return sheet


@pytest.fixture
def sheet(scores: Path) -> Path:
    """A labelled sheet of 40 sentences from each of three levels."""
    path = scores.with_name("sheet.csv")
    assert run("sample", scores, "--output", path, "--per-level", "40").exit_code == 0
    return annotate(path)


# -- sample ------------------------------------------------------------------------------------------------------------


def test_a_sample_writes_sheets_and_tells_the_strata(scores: Path) -> None:
    out = scores.with_name("sheet.csv")
    result = run("sample", scores, "--output", out, "--per-level", "50", "--annotators", "2", "--state", "no_claim")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "stratum   sentences  drawn",
        "level 0         200     50",
        "level 1          60     50",
        "level 3          40     40",
        "no_claim          1      1",
    ]
    assert {path.name for path in out.parent.iterdir()} == {
        "scores.jsonl",
        "sheet.1.csv",
        "sheet.2.csv",
        "sheet.key.json",
    }
    assert "keep" in result.stderr


def test_the_same_command_draws_the_same_and_as_json_it_tells_more(scores: Path, tmp_path: Path) -> None:
    first = run("sample", scores, "--output", tmp_path / "a.csv", "--json", "--excel")
    run("sample", scores, "--output", tmp_path / "b.csv")
    row = json.loads(first.stdout)
    assert row["strata"]["level 0"] == {"sentences": 200, "drawn": 100}
    assert (row["scorer"], row["left_out"]) == ("abc", {"no_claim": 1})
    mark = b"\xef\xbb\xbf"
    assert (tmp_path / "a.csv").read_bytes() == mark + (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--output", "sheet.xlsx"], "must end in .csv"),
        (["--output", "no/folder/sheet.csv"], "no such folder"),
        (["--output", "sheet.csv", "--state", "failed"], "choose no_claim or no_evidence"),
        (["--output", "sheet.csv", "--by", "luck"], "'luck' is not one of"),
        ([], "Missing option '--output'"),
    ],
)
def test_a_sample_that_cannot_be_is_wrong_use(
    scores: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(scores.parent)
    result = run("sample", scores, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in scores.parent.iterdir()] == ["scores.jsonl"]


def test_labels_are_safe_from_a_second_sample(scores: Path, sheet: Path) -> None:
    labelled = sheet.read_bytes()
    again = run("sample", scores, "--output", sheet, "--per-level", "40", "--seed", "1")
    assert again.exit_code == 2
    assert "another drawing" in again.stderr
    same = run("sample", scores, "--output", sheet, "--per-level", "40", "--with-scores")
    assert same.exit_code == 0
    assert f"left as it was, with the same sentences: {sheet}" in same.stderr
    assert "wrote" not in same.stderr
    assert sheet.read_bytes() == labelled


# -- agree -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pair(scores: Path) -> tuple[Path, Path]:
    out = scores.with_name("sheet.csv")
    run("sample", scores, "--output", out, "--per-level", "40", "--annotators", "2")
    return annotate(scores.with_name("sheet.1.csv")), annotate(scores.with_name("sheet.2.csv"), wrong=12)


def test_agreement_is_told_with_its_disagreements(pair: tuple[Path, Path], tmp_path: Path) -> None:
    result = run("agree", *pair, "--disagreements", tmp_path / "apart.csv", *SAMPLE)
    assert result.exit_code == 0
    assert "sentences      120" in result.stdout
    assert "90.0 % [83.3, 94.2]" in result.stdout
    assert "2 more disagreements" in result.stderr
    assert len((tmp_path / "apart.csv").read_text().splitlines()) == 13
    row = json.loads(run("agree", *pair, "--json", *SAMPLE).stdout)
    assert row["raw_agreement"]["value"] == pytest.approx(0.9)
    assert row["kappa"]["low"] < row["kappa"]["value"] < row["kappa"]["high"]
    assert len(row["disagreements"]) == 12


def test_annotators_of_one_mind_and_one_label_have_no_kappa(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,label\na,true\nb,true\n")
    result = run("agree", tmp_path / "a.csv", tmp_path / "a.csv")
    assert result.exit_code == 0
    assert "kappa is not defined: both annotators gave every sentence the label true" in result.stdout
    assert "nan" not in result.stdout.lower()
    assert "a.csv was named twice: a sheet agrees with itself" in result.stderr


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("id,label\na,true\n", "lacks 1 ids of"),
        ("id,label\na,true\nb,true\nb,false\n", "stands in line 3 already"),
        ("id,label\na,true\nb,perhaps\n", "is no label"),
        ("id,label\na,\nb,\n", "no sentence was labelled by both"),
    ],
)
def test_sheets_that_do_not_fit_are_told_in_one_line(tmp_path: Path, second: str, message: str) -> None:
    (tmp_path / "a.csv").write_text("id,label\na,true\nb,false\n")
    (tmp_path / "b.csv").write_text(second)
    result = run("agree", tmp_path / "a.csv", tmp_path / "b.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_disagreements_replace_no_sheet(pair: tuple[Path, Path]) -> None:
    labelled = pair[0].read_bytes()
    result = run("agree", *pair, "--disagreements", pair[0])
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{pair[0]}: is read by this command" in result.stderr
    assert pair[0].read_bytes() == labelled


@pytest.mark.parametrize("labels", ["true", "true,true", ""])
def test_labels_of_ones_own_are_two_or_more(pair: tuple[Path, Path], labels: str) -> None:
    result = run("agree", *pair, "--labels", labels)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "two or more different words" in result.stderr


def test_weights_need_an_order(pair: tuple[Path, Path]) -> None:
    assert run("agree", *pair, "--weights", "linear").exit_code == 2
    ordered = run("agree", *pair, "--weights", "linear", "--labels", "True,False", *SAMPLE)
    assert ordered.exit_code == 0
    assert "kappa, linear weights" in ordered.stdout


# -- curve -------------------------------------------------------------------------------------------------------------


def test_a_curve_is_weighted_shown_written_and_drawn(sheet: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "calibration"
    result = run("curve", sheet, "--output", out, "--edges", "1,20", *SAMPLE)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[:5]] == ["count", "0", "1–19", "20+", "all"]
    assert "66.7 %" in lines[1]
    assert "calibration does not carry over to other text" in lines
    assert {path.name for path in out.iterdir()} == {
        "curve.json", "rates.json", "curve.png", "curve.svg", "reliability.png", "reliability.svg",
    }  # fmt: skip
    row = json.loads((out / "curve.json").read_text())
    zero = row["bins"][0]
    assert zero["sentences"] == 40
    expected = (200 * zero["probability"]["value"] + 60 * row["bins"][1]["probability"]["value"]
                + 40 * row["bins"][2]["probability"]["value"]) / 300  # fmt: skip
    assert row["base_rate"]["value"] == pytest.approx(expected)
    assert row["jumps"]["thresholds"][0]["threshold"] == 1
    assert (out / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "reliability.svg").read_text()
    rates = json.loads((out / "rates.json").read_text())
    assert [one["level"] for one in rates["verdicts"]] == [1, 2, 3]
    assert rates["scorer"] == "abc"


def test_the_images_of_the_same_labels_are_the_same(sheet: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        run("curve", sheet, "--output", tmp_path / name, *SAMPLE)
    for image in ("curve.png", "curve.svg", "reliability.svg"):
        assert (tmp_path / "a" / image).read_bytes() == (tmp_path / "b" / image).read_bytes()


def test_one_class_is_said_and_no_number_is_made_up(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text('{"label": true, "count": 3}\n' * 6)
    result = run("curve", path, "--output", tmp_path / "out", *SAMPLE)
    assert result.exit_code == 0
    assert "all 6 labels are true; a ranking needs both" in result.stdout
    assert "not measured: all 6 labels are true; a map needs both" in result.stdout
    assert "nan" not in result.stdout.lower()
    assert json.loads((tmp_path / "out" / "curve.json").read_text())["auroc"]["value"] is None
    assert not (tmp_path / "out" / "reliability.png").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--edges", "5,1"], 2, "must rise"),
        (["--edges", "a"], 2, "no list of numbers"),
        (["--score", "profile"], 1, "no labelled sentence has a profile"),
        (["--group", "relation"], 2, "'relation' to group by"),
        (["--key", "nowhere.json"], 1, "nowhere.json: no such file"),
        (["--calibration", "nowhere.json"], 1, "nowhere.json: no such file"),
    ],
)
def test_a_curve_that_cannot_be_is_told_in_one_line(sheet: Path, words: list[str], code: int, message: str) -> None:
    result = run("curve", sheet, *words, *SAMPLE)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


# -- fit and score -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_map_is_fitted_checked_and_kept(sheet: Path, tmp_path: Path, method: str) -> None:
    path = tmp_path / "map.json"
    result = run("fit", sheet, "--method", method, "--output", path, *SAMPLE)
    assert result.exit_code == 0
    caution = "calibrated on 120 labels of sheet.csv; does not carry over to other text"
    assert result.stdout.splitlines()[-1] == caution
    row = json.loads(path.read_text())
    assert (row["method"], row["scorer"], row["caution"]) == (method, "abc", caution)
    assert 0 <= row["validation"]["ece"] <= 1
    # the same map on the labels it came from
    checked = run("curve", sheet, "--calibration", path, "--json", *SAMPLE)
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["reliability"]["source"] == f"{method} map, {caution}"
    assert run("curve", sheet, "--calibration", path, "--score", "level", *SAMPLE).exit_code == 2


def test_a_map_replaces_no_labels(sheet: Path) -> None:
    labelled = sheet.read_bytes()
    result = run("fit", sheet, "--output", sheet)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sheet.read_bytes() == labelled


def test_a_map_that_cannot_be_validated_says_why(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text('{"label": true, "count": 3}\n{"label": false, "count": 0}\n')
    result = run("fit", path, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["validation"] == {"reason": "2 groups of sentences are too few for 5 folds"}
    assert "not cross-validated" in result.stderr
    assert "do not say which scorer" in result.stderr
    path.write_text('{"label": true, "count": 3}\n')
    alone = run("fit", path)
    assert (alone.exit_code, alone.stdout) == (1, "")
    assert "a map needs both" in alone.stderr


@pytest.fixture
def true_map(tiny_index: Path, tmp_path: Path) -> Path:
    """A map for the scorer that `corver score` makes of the tiny index."""
    texts = tmp_path / "texts.txt"
    texts.write_text("Marie Curie was born in Warsaw.\nMarie Curie was born in Lisbon.\n")
    scored = tmp_path / "scored.jsonl"
    score(texts, "--index", tiny_index, "--output", scored)
    rows = [json.loads(line) for line in scored.read_text().splitlines()]
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text("".join(json.dumps({**row, "label": row["sentences"][0]["count"] > 0}) + "\n" for row in rows))
    assert run("fit", labelled, "--output", tmp_path / "map.json", "--no-cross-validate").exit_code == 0
    return tmp_path / "map.json"


def score(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["score", *map(str, words)], prog_name="corver")


def test_scores_carry_probabilities_and_their_caution(tiny_index: Path, true_map: Path) -> None:
    result = score(true_map.with_name("texts.txt"), "--index", tiny_index, "--calibration", true_map)
    assert result.exit_code == 0
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert first["sentences"][0]["probability"] > 0.5 > second["sentences"][0]["probability"]
    assert first["calibration"] == "calibrated on 2 labels of labelled.jsonl; does not carry over to other text"
    assert first["calibration"] in result.stderr


def test_a_map_of_another_scorer_is_refused(tiny_index: Path, true_map: Path) -> None:
    texts = true_map.with_name("texts.txt")
    other = score(texts, "--index", tiny_index, "--window", "5", "--calibration", true_map)
    assert (other.exit_code, other.stdout) == (2, "")
    assert "the calibration map belongs to scorer" in other.stderr
    capped = score(texts, "--index", tiny_index, "--capped", "--calibration", true_map)
    assert (capped.exit_code, capped.stdout) == (2, "")
    assert "--exact" in capped.stderr


# -- the neutral point -------------------------------------------------------------------------------------------------


def unit(score: float, weight: float = 1.0) -> dict[str, Any]:
    return {"text": "Warsaw", "start": 0, "end": 6, "weight": weight, "score": score, "share": 0.0}


def test_the_neutral_point_is_the_median_of_the_details(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    rows = [
        {"scorer": "abc", "text": "A.", "sentences": [{**verdict(1, 2), "units": [unit(-3), unit(-1), unit(9, 0.3)]}]},
        {"scorer": "abc", "text": "B.", "sentences": [{**verdict(1, 2), "units": [unit(2)]}, verdict(None, 2)]},
        {"line": 3, "error": "no text"},
        *[{"scorer": "abc", "text": "C.", "sentences": [verdict(None, 2) | {"status": "no_evidence"}]}] * 3,
        {"scorer": "abc", "text": "D.", "sentences": [verdict(None, 2)]},
        {"scorer": "abc", "text": "", "sentences": []},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("fit", path, "--neutral", "--output", tmp_path / "neutral.json")
    assert result.exit_code == 0
    assert result.stdout.startswith("neutral point Z  -1.000 [")
    assert "reward.profile.neutral: -1.0000" in result.stderr
    row = json.loads((tmp_path / "neutral.json").read_text())
    assert (row["neutral"], row["units"], row["texts"], row["scorer"]) == (-1.0, 3, 2, "abc")
    assert (row["texts_without_evidence"], row["texts_without_units"]) == (3, 2)
    assert "left out: 3 texts without evidence" in result.stderr
    assert "left out: 2 texts without a name or a number" in result.stderr
    assert row["low"] <= row["neutral"] <= row["high"]


def test_scores_without_details_have_no_neutral_point(scores: Path) -> None:
    result = run("fit", scores, "--neutral")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "--support profile" in result.stderr
    assert run("fit", scores, "--neutral", "--group", "id").exit_code == 2


@pytest.mark.parametrize(("units", "message"), [([unit(1e300)], "1e+300 is no score"), ([unit(1.0, 0.3)], "unit")])
def test_details_without_a_median_are_told_in_one_line(
    tmp_path: Path, units: list[dict[str, Any]], message: str
) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_text(json.dumps({"text": "A.", "sentences": [{**verdict(1, 2), "units": units}]}) + "\n")
    result = run("fit", path, "--neutral")
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert "rollouts.jsonl" in result.stderr
    assert result.stderr.count("\n") == 1
