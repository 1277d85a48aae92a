"""Evaluation: questions are answered, the answers judged and their sentences scored.

In: someone who answers, questions, perhaps a sentence reward. Out: one row an answer, appended to a JSONL file as it is
made, so that an interrupted evaluation goes on where it stopped. A file made with another model, prompt, index or
setting is refused, not mixed. An answer that could not be had leaves no row, so the next sitting asks for it again.
Training and `corver eval` both come through here. This module knows no training.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corver.config import RewardConfig
from corver.errors import InputError
from corver.evaluate.answering import Answerer, Completion, PolicyAnswerer
from corver.evaluate.questions import Question
from corver.policy.prompts import PromptName
from corver.policy.sampling import SamplingSettings
from corver.progress import Progress, no_progress
from corver.reward.judge import judge
from corver.runs import append_jsonl, claim_file, read_jsonl, write_text
from corver.text.rollout import parse_rollout, rollout_sentences
from corver.types import Rollout, SentenceReward

if TYPE_CHECKING:
    from corver.policy.load import Policy

__all__ = ["Answers", "collect_answers", "evaluate_policy"]


@dataclass(frozen=True, slots=True)
class Answers:
    """rows: the answers in the order of the questions, the samples of one question together. failures: for questions
    that are missing, why, with how often."""

    rows: list[dict[str, Any]]
    failures: dict[str, int] = field(default_factory=dict)


def collect_answers(
    answerer: Answerer,
    questions: Sequence[Question],
    output: Path,
    *,
    sentence_reward: SentenceReward | None,
    reward: RewardConfig,
    key: dict[str, Any],
    samples: int = 1,
    progress: Progress = no_progress,
) -> Answers:
    """Have every question answered `samples` times.

    sentence_reward: None leaves the sentences without scores. key: what the answers depend on (model, prompt, index,
    settings …); it is kept beside `output` and must be the same when the file is continued. progress: called as
    ("evaluate", done, total, "answers").
    """
    claim_file(output, key)
    done = _finished(output, samples)
    asked = {question.id: question for question in questions}
    for name, rows in done.items():
        if name not in asked or any(not _answers_to(row, asked[name]) for row in rows):
            raise InputError(f"{output}: holds answers to other questions ({name}); remove it, or name another output")
    missing = [question for question in questions if question.id not in done]
    failures: Counter[str] = Counter()
    for completions in answerer.answer(missing):
        failed = {completion.question for completion in completions if completion.failure is not None}
        failures.update(completion.failure for completion in completions if completion.failure is not None)
        whole = [completion for completion in completions if completion.question not in failed]
        rows = _rows(missing, whole, sentence_reward, reward, answerer.think_opened)
        append_jsonl(output, rows)
        for row in rows:
            done[row["id"]].append(row)
        progress("evaluate", sum(map(len, done.values())), len(questions) * samples, "answers")
    return Answers([row for question in questions for row in done.get(question.id, ())], dict(failures))


def evaluate_policy(
    policy: Policy,
    questions: Sequence[Question],
    output: Path,
    *,
    sentence_reward: SentenceReward | None,
    reward: RewardConfig,
    prompt: PromptName,
    settings: SamplingSettings,
    template: dict[str, Any] | None = None,
    key: dict[str, Any],
    progress: Progress = no_progress,
) -> list[dict[str, Any]]:
    """Let a policy answer every question `settings.samples` times; see `collect_answers`."""
    return collect_answers(
        PolicyAnswerer(policy, prompt=prompt, settings=settings, template=template),
        questions,
        output,
        sentence_reward=sentence_reward,
        reward=reward,
        key=key,
        samples=settings.samples,
        progress=progress,
    ).rows


def _finished(output: Path, samples: int) -> defaultdict[str, list[dict[str, Any]]]:
    """The rows of the questions that have all their samples; those of the others are dropped from the file."""
    done: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    rows = read_jsonl(output)
    for number, row in enumerate(rows, start=1):
        if lacking := [field for field in _FIELDS if field not in row]:
            raise InputError(f"{output}:{number}: is no answer of an evaluation (it has no {lacking[0]})")
        done[row["id"]].append(row)
    torn = {name for name, found in done.items() if len(found) != samples}
    if torn:
        kept = [row for row in rows if row["id"] not in torn]
        write_text(output, "".join(json.dumps(row) + "\n" for row in kept))
        for name in torn:
            del done[name]
    return done


_FIELDS = ("id", "question", "answers", "completion", "tokens", "label", "well_formed", "sentences")


def _answers_to(row: Mapping[str, Any], question: Question) -> bool:
    """Whether the row was judged by this question's words and accepted answers."""
    return bool(row["question"] == question.question and row["answers"] == list(question.answers))


def _rows(
    questions: Sequence[Question],
    completions: Sequence[Completion],
    sentence_reward: SentenceReward | None,
    reward: RewardConfig,
    think_opened: bool,
) -> list[dict[str, Any]]:
    rollouts = [
        Rollout(
            completion.text,
            question=questions[completion.question].question,
            answers=questions[completion.question].answers,
            sentences=tuple(rollout_sentences(completion.text, drop_cut_off=completion.cut_off)),
            meta={"think_opened": True} if think_opened else {},
        )
        for completion in completions
    ]
    scores_B = sentence_reward.score(rollouts) if sentence_reward else [[] for _ in rollouts]
    return [
        {
            "id": questions[completion.question].id,
            "question": rollout.question,
            "answers": list(rollout.answers),
            "completion": completion.text,
            "cut_off": completion.cut_off,
            "tokens": completion.tokens,
            "label": _label(rollout, reward),
            "well_formed": parse_rollout(completion.text, think_opened=think_opened).well_formed,
            "sentences": [score.to_json() for score in scores],
        }
        for completion, rollout, scores in zip(completions, rollouts, scores_B, strict=True)
    ]


def _label(rollout: Rollout, reward: RewardConfig) -> str:
    judgement = judge(rollout.completion, rollout.answers, rule=reward.judge.rule, question=rollout.question)
    return "ungraded" if judgement is None else judgement.label
