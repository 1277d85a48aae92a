"""The questions of a run: read, freed of what is held out, cut to the learning zone, drawn.

In: a RunConfig. Out: training and evaluation questions, and a report of how many were left out and why. This module
knows no model; what needs a tokenizer (prompts that are too long) is left out later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corver.config import RunConfig
from corver.corpus.hub import Hub
from corver.errors import ConfigError
from corver.evaluate.questions import Question, draw_questions, read_questions
from corver.train.overlap import without_overlap
from corver.train.questions import read_mixture
from corver.train.zone import in_zone, read_zone

__all__ = ["RunQuestions", "read_run_questions"]

_SHOWN = 100
"""Pairs of questions that are alike which a report shows."""


@dataclass(frozen=True, slots=True)
class RunQuestions:
    """training, evaluation: questions. report: how many were read from each source, stood there twice, are held out
    (the same, or alike, with pairs to look at), lie in the zone, and are trained on."""

    training: list[Question]
    evaluation: list[Question]
    report: dict[str, Any]


def read_run_questions(config: RunConfig, *, hub: Hub | None = None) -> RunQuestions:
    """All questions of a run. Raises ConfigError when none is left to train on, InputError for files that are not
    questions, CorpusError when a hub does not answer."""
    data = config.data
    evaluation, held_out = _evaluation(config)
    mixture = read_mixture(data.questions, split=data.split, hub=hub)
    excluded = read_mixture(data.exclude, hub=hub).questions if data.exclude else ()
    questions, overlap = without_overlap(mixture.questions, [*held_out, *excluded])
    report: dict[str, Any] = {
        "read": dict(mixture.read),
        "repeated": mixture.repeated,
        "held_out": {
            "questions": len(held_out) + len(excluded),
            "same": overlap.same,
            "alike": len(overlap.alike),
            "alike_pairs": [list(pair) for pair in overlap.alike[:_SHOWN]],
        },
    }
    if not questions:
        raise ConfigError(f"{', '.join(data.questions)}: every training question is also an evaluation question")
    if data.zone is not None:
        questions = in_zone(questions, read_zone(data.zone), bounds=data.bounds, anchors=data.anchors)
        report["in_zone"] = len(questions)
    questions = draw_questions(questions, data.limit)
    report["training"] = len(questions)
    return RunQuestions(questions, evaluation, report)


def _evaluation(config: RunConfig) -> tuple[list[Question], list[Question]]:
    """The questions that are evaluated, and all that they were drawn from: none of those is trained on."""
    settings = config.evaluation
    if settings is None:
        return [], []
    whole = read_questions(settings.questions, split=settings.split)
    return draw_questions(whole, settings.limit), whole
