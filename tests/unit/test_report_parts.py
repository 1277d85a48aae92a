"""The parts of a report: values, levels, excerpts, verdicts, curves, drawings, choice of questions."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corver.report.answers import choose, read_side
from corver.report.curves import CURVES, read_series, smooth
from corver.report.excerpts import make_excerpt
from corver.report.levels import LevelScale, Tally
from corver.report.measures import Interval, headline, verdicts
from corver.report.rollouts import read_phases
from corver.report.svg import interval_plot, level_bar, line_chart, ticks
from corver.report.values import change, duration, number, points, printable, show, text_of

SCALE = LevelScale.of_config({})


@pytest.mark.parametrize("value", [None, True, "1", [], {}, math.nan, math.inf, -math.inf, 10**400])
def test_what_is_not_a_finite_number_is_none(value: Any) -> None:
    assert number(value) is None


def test_numbers_are_shown_for_people() -> None:
    assert show(0.4123, "share") == "41.2\u202f%"
    assert show(-0.0001, "reward") == "0.000"
    assert show(0.1, "reward") == "+0.100"
    assert show(1234.56, "amount") == "1,234.6"
    assert show(None, "amount") == "–"
    assert show(0.00002, "small") == "2.0×10⁻⁵"
    assert show(-3.14159, "small") == "−3.14"
    assert change(-0.031, "share") == "−3.1"
    assert points(-0.3) == "−0.3"
    assert points(0.0) == "0"
    assert points(0.25) == "+0.25"
    assert [duration(s) for s in (4.24, 48.0, 552.0, 11100.0)] == ["4.2 s", "48 s", "9 min 12 s", "3 h 05 min"]


def test_printable_keeps_offsets_and_can_be_encoded() -> None:
    text = "a\x00b\r\nc\ud800d\u202ee\x9ff\tg"
    shown = printable(text)
    assert len(shown) == len(text)
    assert shown == "a␀b \nc�d�e�f\tg"
    assert shown.encode("utf-8")


def test_text_of_takes_scalars_only_and_is_bounded() -> None:
    assert text_of({"a": 1}) == ""
    assert text_of(None) == ""
    assert text_of(7) == "7"
    assert text_of("x" * 500, limit=10) == "x" * 9 + "…"


def test_levels_are_the_papers_where_the_run_does_not_say() -> None:
    assert [(m.sign, m.tone, m.title, m.reward) for m in SCALE.marks] == [
        ("0", "worst", "count 0", "−0.3"),
        ("1", "negative", "count 1–4", "−0.1"),
        ("2", "zero", "count 5–19", "0"),
        ("3", "positive", "count 20 or more", "+0.1"),
    ]
    assert len({mark.sign for mark in SCALE.legend()}) == len(SCALE.legend()), "marks must differ without colour"


def test_levels_of_the_run_are_read_and_nonsense_is_not() -> None:
    own = LevelScale.of_config({"reward": {"levels": {"thresholds": [3], "rewards": [-1, 1]}}})
    assert [(m.title, m.tone) for m in own.marks] == [("count 0–2", "worst"), ("count 3 or more", "positive")]
    assert LevelScale.of_config({"reward": {"levels": {"thresholds": "x"}}}).marks == SCALE.marks


def test_failed_is_never_shown_as_no_claim_or_as_a_level() -> None:
    rows: list[dict[str, Any]] = [
        {"status": s, "level": None, "reward": None} for s in ("failed", "no_claim", "no_evidence")
    ]
    marks = [SCALE.mark(row) for row in rows]
    assert [mark.key for mark in marks] == ["failed", "no_claim", "no_evidence"]
    assert SCALE.mark({"status": "failed", "level": 3, "reward": 0.1}).key == "failed"
    assert SCALE.mark({"status": "supported", "level": 99, "reward": None}).key == "unknown"
    assert SCALE.mark({"status": "supported", "level": None, "reward": 0.4}).key == "plus"


def test_tally_counts_claims_as_training_does() -> None:
    tally = Tally()
    sentences = [
        {"status": "supported", "level": 3, "reward": 0.1},
        {"status": "unsupported", "level": 0, "reward": -0.3},
        {"status": "no_claim", "reward": 0.0},
        {"status": "failed", "reward": None},
        "not a sentence",
    ]
    tally.add("two words", sentences, SCALE)
    assert (tally.completions, tally.sentences, tally.claims, tally.words) == (1, 4, 2, 2)
    assert tally.mean_reward == pytest.approx(-0.1)
    assert Tally().mean_reward is None


def test_excerpt_parts_sentences_tags_and_the_rest() -> None:
    text = "<think> One. Two. </think> <answer>x</answer> tail"
    rows = [{"start": 13, "end": 17, "status": "no_claim"}, {"start": 8, "end": 12, "status": "supported", "level": 3}]
    excerpt = make_excerpt(text, rows, SCALE)
    assert [(p.kind, p.text) for p in excerpt.pieces] == [
        ("tag", "<think>"),
        ("outside", " "),
        ("sentence", "One."),
        ("outside", " "),
        ("sentence", "Two."),
        ("outside", " "),
        ("tag", "</think>"),
        ("outside", " "),
        ("tag", "<answer>"),
        ("outside", "x"),
        ("tag", "</answer>"),
        ("outside", " tail"),
    ]
    assert excerpt.hidden == 0


def test_capped_counts_say_so() -> None:
    row = {"start": 0, "end": 2, "status": "supported", "level": 3, "count": 20, "capped": True}
    assert make_excerpt("Hi", [row], SCALE).verdicts[0].count == "20 or more"


def interval(value: float, half: float) -> dict[str, float]:
    return {"value": value, "low": value - half, "high": value + half}


def told(difference: dict[str, Any], *, raw: float = 2.0, trained: float = 2.0) -> list[tuple[str, str]]:
    summary = {
        "raw": {"sentence_reward": {"value": -0.2}, "claims_per_completion": {"value": raw}},
        "trained": {"sentence_reward": {"value": -0.1}, "claims_per_completion": {"value": trained}},
        "difference": {"sentence_reward": difference},
    }
    return [(verdict.outcome, verdict.title) for verdict in verdicts(headline(summary))]


def test_verdict_goes_by_the_interval() -> None:
    assert told(interval(0.1, 0.05))[0] == ("good", "Sentence reward rose")
    assert told(interval(-0.1, 0.05))[0] == ("bad", "Sentence reward fell")
    assert told(interval(0.1, 0.2))[0] == ("open", "Sentence reward: no clear change")
    assert told(interval(0.1, 0.1))[0] == ("open", "Sentence reward: no clear change"), "an interval that touches 0"
    assert told({})[0] == ("open", "Sentence reward: interval unknown")


def test_a_fall_of_claims_by_more_than_a_fifth_is_warned_of() -> None:
    assert told(interval(0.1, 0.05), trained=1.61)[1] == ("good", "The model still speaks")
    assert told(interval(0.1, 0.05), trained=1.59)[1] == ("warning", "A gain that comes with fewer claims")
    assert told(interval(0.1, 0.2), trained=1.59)[1] == ("warning", "Fewer claims")
    assert len(told(interval(0.1, 0.05), raw=0.0)) == 1, "nothing to compare with"


def test_headline_is_tolerant() -> None:
    assert headline({}) == []
    assert headline({"raw": None, "trained": [1]}) == []
    (row,) = headline({"raw": {"accuracy": 0.5}, "trained": {"accuracy": {"value": None}}})
    assert (row.raw, row.trained, row.direction) == (Interval(0.5), Interval(), "unknown")


def test_smoothing_keeps_constants_and_lines_and_does_not_lag() -> None:
    steps_T = np.arange(1.0, 101.0)
    np.testing.assert_allclose(smooth(steps_T, np.full(100, 3.0)), 3.0)
    np.testing.assert_allclose(smooth(steps_T, steps_T)[30:70], steps_T[30:70])
    np.testing.assert_allclose(smooth(np.array([5.0]), np.array([2.0])), 2.0)


def test_series_skip_missing_values_and_thin_without_dropping_mass() -> None:
    rows: list[dict[str, Any]] = [{"step": n, "reward": float(n)} for n in range(1000)]
    rows[5]["reward"] = None
    rows[6]["reward"] = "x"
    (series,) = read_series(rows)
    assert series.curve.key == "reward"
    assert series.steps_T.size == 200
    assert (np.diff(series.steps_T) > 0).all()
    assert series.raw_T.mean() == pytest.approx(500, abs=2)
    assert read_series([{"step": 1, "reward": 1e31}]) == []
    assert read_series([{"step": None, "reward": 1.0}, {"reward": 1.0}]) == []


@pytest.mark.parametrize(
    "values", [[0.0], [0.2, 0.2], [1e30, -1e30], [5e-324, 0.0], [1e16, 1e16 + 2], [-3.0, 0.1, 2.5], [1e-12, 1e12]]
)
def test_charts_stay_finite(values: list[float]) -> None:
    (series,) = read_series([{"step": n, "reward": value} for n, value in enumerate(values)])
    drawn = line_chart(series)
    assert "nan" not in drawn
    assert "inf" not in drawn
    assert drawn.count("h0") == len(values)


def test_ticks_are_round_and_enclose() -> None:
    np.testing.assert_allclose(ticks(-0.19, -0.02), [-0.2, -0.15, -0.1, -0.05, 0.0])
    assert ticks(0.0, 1.0)[0] == 0.0
    assert ticks(3.0, 3.0) == [3.0, 3.0]


def test_interval_plot_needs_a_value() -> None:
    assert interval_plot(Interval(), Interval()) == ""
    assert interval_plot(Interval(1.0), Interval()).count("<circle") == 1
    assert "nan" not in interval_plot(Interval(1e308, -1e308, 1e308), Interval(0.0))


def test_level_bar_names_every_share() -> None:
    tally = Tally()
    tally.add("", [{"status": "supported", "level": 3}, {"status": "no_claim"}] * 2, SCALE)
    drawn = level_bar(tally, [mark.key for mark in SCALE.legend()])
    assert 'aria-label="Sentences: count 20 or more 50 %, no claim 50 %"' in drawn
    assert level_bar(Tally(), []) == ""


def test_curves_have_unique_keys() -> None:
    assert len({curve.key for curve in CURVES}) == len(CURVES)


def write_side(path: Path, rewards: list[float | None], labels: list[str]) -> None:
    rows = []
    for n, (reward, label) in enumerate(zip(rewards, labels, strict=True)):
        claims = [] if reward is None else [{"start": 0, "end": 1, "status": "supported", "level": 1, "reward": reward}]
        rows.append({"id": n, "question": "é?", "completion": "x", "label": label, "sentences": claims})
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def test_choice_ranks_by_change_and_by_label(tmp_path: Path) -> None:
    raw, trained = tmp_path / "raw.jsonl", tmp_path / "trained.jsonl"
    write_side(raw, [-0.3, 0.1, None, 0.0], ["wrong", "correct", "wrong", "correct"])
    write_side(trained, [0.1, -0.3, 0.1, 0.0], ["wrong", "not_attempted", "correct", "correct"])
    chosen = choose(read_side(raw, SCALE, []), read_side(trained, SCALE, []), each=1)
    assert chosen["0"][0] == "improved"
    assert chosen["1"][:2] == ("worsened", "lost")
    assert chosen["2"][0] == "gained"
    moved = [key for key, groups in chosen.items() if {"improved", "worsened"} & set(groups)]
    assert sorted(moved) == ["0", "1"], "an unmoved or incomparable question is neither"


def test_only_questions_that_both_models_answered_are_chosen(tmp_path: Path) -> None:
    raw, trained = tmp_path / "raw.jsonl", tmp_path / "trained.jsonl"
    write_side(raw, [0.1, 0.1], ["wrong", "wrong"])
    write_side(trained, [0.1], ["wrong"])
    assert set(choose(read_side(raw, SCALE, []), read_side(trained, SCALE, []))) == {"0"}


def test_phases_take_the_ends_of_training(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    rows = [
        {"step": n, "question": f"é {n}", "completion": "a b", "response": float(n), "sentences": []}
        for n in range(1, 31)
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    first, last = read_phases(path, SCALE, [])
    assert (first.title, last.title) == ("First steps (1–3)", "Last steps (28–30)")
    assert (first.response, last.response) == (2.0, 29.0)
    assert [rollout.question for rollout in last.shown] == ["é 28", "é 29", "é 30"]
    assert read_phases(tmp_path / "none.jsonl", SCALE, []) == []
