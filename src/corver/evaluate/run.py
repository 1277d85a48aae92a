"""Evaluation: a policy answers questions, its answers are judged and its sentences scored.

In: a policy, questions, a sentence reward, the prompt. Out: one row a question, appended to a JSONL file as it is made,
so that an interrupted evaluation goes on where it stopped. A file made with another model, prompt, index or setting is
refused, not mixed. This module knows no training.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corver.config import RewardConfig
from corver.errors import InputError
from corver.evaluate.questions import Question
from corver.policy.generate import Sample, SamplingSettings, generate
from corver.policy.load import Policy
from corver.policy.prompts import PromptName
from corver.progress import Progress, no_progress
from corver.reward.judge import judge
from corver.runs import append_jsonl, claim_file, read_jsonl
from corver.text.rollout import parse_rollout, rollout_sentences
from corver.types import Rollout, SentenceReward

__all__ = ["evaluate_policy"]


def evaluate_policy(
    policy: Policy,
    questions: Sequence[Question],
    output: Path,
    *,
    sentence_reward: SentenceReward,
    reward: RewardConfig,
    prompt: PromptName,
    settings: SamplingSettings,
    template: dict[str, Any] | None = None,
    key: dict[str, str],
    progress: Progress = no_progress,
) -> list[dict[str, Any]]:
    """Answer every question once and return the rows in the order of `questions`.

    key: what the answers depend on (model, prompt, index, settings …); it is kept beside `output` and must be the same
    when the file is continued. progress: called as ("evaluate", done, total, "answers").
    """
    claim_file(output, key)
    done = {row["id"]: row for row in read_jsonl(output)}
    wanted = {question.id for question in questions}
    if not done.keys() <= wanted:
        raise InputError(f"{output}: holds answers to other questions; remove it or evaluate into another folder")
    missing = [question for question in questions if question.id not in done]
    finished = len(done)
    for samples in generate(
        policy,
        [question.question for question in missing],
        prompt=prompt,
        settings=settings,
        template=template,
    ):
        rows = _rows(missing, samples, sentence_reward, reward)
        append_jsonl(output, rows)
        done.update({row["id"]: row for row in rows})
        finished += len(rows)
        progress("evaluate", finished, len(questions), "answers")
    return [done[question.id] for question in questions]


def _rows(
    questions: Sequence[Question], samples: Sequence[Sample], sentence_reward: SentenceReward, reward: RewardConfig
) -> list[dict[str, Any]]:
    rollouts = [
        Rollout(
            sample.text,
            question=questions[sample.question].question,
            answers=questions[sample.question].answers,
            sentences=tuple(rollout_sentences(sample.text, drop_cut_off=sample.cut_off)),
        )
        for sample in samples
    ]
    scores_B = sentence_reward.score(rollouts)
    return [
        {
            "id": questions[sample.question].id,
            "question": rollout.question,
            "answers": list(rollout.answers),
            "completion": sample.text,
            "cut_off": sample.cut_off,
            "tokens": len(sample.ids),
            "label": _label(rollout, reward),
            "well_formed": parse_rollout(sample.text).well_formed,
            "sentences": [score.to_json() for score in scores],
        }
        for sample, rollout, scores in zip(samples, rollouts, scores_B, strict=True)
    ]


def _label(rollout: Rollout, reward: RewardConfig) -> str:
    judgement = judge(rollout.completion, rollout.answers, rule=reward.judge.rule, question=rollout.question)
    return "ungraded" if judgement is None else judgement.label
