"""The gold lists of the noise experiment: what the string judge refuses, and that the full list errs never."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Behind what is there: experiments/ablation has modules of the same names.
sys.path.append(str(Path(__file__).parents[2] / "experiments" / "noise"))

from corver_forms import FORMS, SHORT, full_list, judged, short_list
from world import make_world

from corver.text.answers import grade

WORLD = make_world(3)


def test_full_list_accepts_both_forms_and_no_other_value() -> None:
    for question in WORLD.questions:
        for form in FORMS[question.relation]:
            assert grade(form.format(question.answer), full_list(question), rule="words") == "correct"
        others = [one.answer for one in WORLD.questions if one.relation == question.relation]
        wrong = next(value for value in others if value != question.answer)
        for form in FORMS[question.relation]:
            assert grade(form.format(wrong), full_list(question), rule="words") == "wrong"


def test_short_list_refuses_the_other_form_of_its_share_of_facts() -> None:
    short = [question for question in WORLD.questions if short_list(WORLD, question) != full_list(question)]
    assert len(short) / len(WORLD.questions) == pytest.approx(SHORT, abs=0.08)
    kept = []
    for question in short:
        said = [form.format(question.answer) for form in FORMS[question.relation]]
        labels = [grade(one, short_list(WORLD, question), rule="words") for one in said]
        assert sorted(labels) == ["correct", "wrong"]
        kept.append(labels.index("correct"))
    assert 0.35 < sum(kept) / len(kept) < 0.65


def test_judged_counts_each_error_once() -> None:
    question = next(one for one in WORLD.questions if short_list(WORLD, one) != full_list(one))
    listed = short_list(WORLD, question)[0]
    other = next(form.format(question.answer) for form in FORMS[question.relation]
                 if form.format(question.answer) != listed)  # fmt: skip
    counts = judged(WORLD, [question] * 3, [listed, other, ""])
    assert (counts["answers"], counts["right"]) == (3, 2)
    assert (counts["words, short list: refused"], counts["words, short list: accepted"]) == (1, 0)
