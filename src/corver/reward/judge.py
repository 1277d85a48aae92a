"""The judge reward R_j: was the final answer right?

In: a completion and the accepted answers to its question. Out: a label and its reward, +2 / −1 / −1 by default
(arXiv 2605.29648, section 5). It reads the `<answer>` span only, so that naming many things while thinking does not
pay. This module knows nothing of sentences or counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from corver.reward.mathematics import grade_math
from corver.text.answers import grade
from corver.text.rollout import parse_rollout
from corver.types import AnswerLabel

__all__ = ["JudgeRule", "Judgement", "judge", "label_answer"]

JudgeRule: TypeAlias = Literal["lenient", "words", "paper", "math"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Label, reward, and the answer that was judged (None: the completion has no answer block)."""

    label: AnswerLabel
    reward: float
    prediction: str | None


def judge(
    completion: str,
    answers: Sequence[str],
    *,
    rule: JudgeRule = "lenient",
    question: str | None = None,
    correct: float = 2.0,
    wrong: float = -1.0,
    not_attempted: float = -1.0,
) -> Judgement | None:
    """Judge one completion; None when there is no accepted answer to judge it by.

    question: what was asked, if it is known; the rule `lenient` reads from it how precise an answer must be.
    """
    if not any(answer.strip() for answer in answers):
        return None
    span = parse_rollout(completion).answer
    prediction = None if span is None else span.of(completion)
    label = label_answer(prediction or "", answers, rule=rule, question=question)
    rewards: dict[AnswerLabel, float] = {"correct": correct, "wrong": wrong, "not_attempted": not_attempted}
    return Judgement(label, rewards[label], prediction)


def label_answer(
    prediction: str, answers: Sequence[str], *, rule: JudgeRule = "lenient", question: str | None = None
) -> AnswerLabel:
    """Label an answer that stands by itself, without tags."""
    if rule == "math":
        return grade_math(prediction, answers)
    return grade(prediction, answers, rule=rule, question=question)
