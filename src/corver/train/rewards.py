"""Response rewards as TRL reward functions: the judge and the format.

In: completions as TRL hands them over, strings or chat messages, and the `answers` column. Out: one number a
completion. They work in a plain GRPOTrainer too. This module knows no sentence reward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from corver.config import FormatConfig, JudgeConfig
from corver.reward.format import format_reward
from corver.reward.judge import judge_answer

__all__ = ["completion_text", "format_function", "judge_function"]

RewardFunction = Callable[..., list[float]]


def judge_function(config: JudgeConfig | None = None) -> RewardFunction:
    """R_j over the answer span; needs the column `answers`, a list of golds for each completion."""
    settings = config or JudgeConfig()
    values = {"correct": settings.correct, "wrong": settings.wrong, "not_attempted": settings.not_attempted}

    def judge(*, completions: Sequence[Any], answers: Sequence[Sequence[str]], **_: Any) -> list[float]:
        return [
            values[judge_answer(completion_text(completion), golds, rule=settings.rule)]
            for completion, golds in zip(completions, answers, strict=True)
        ]

    return judge


def format_function(config: FormatConfig | None = None) -> RewardFunction:
    """R_f over the tags; the length term reads `completion_ids`."""
    settings = config or FormatConfig()

    def format(  # noqa: A001 - TRL logs a reward under its function's name
        *, completions: Sequence[Any], completion_ids: Sequence[Sequence[int]] | None = None, **_: Any
    ) -> list[float]:
        lengths = [len(ids) for ids in completion_ids] if completion_ids is not None else [0] * len(completions)
        return [
            format_reward(completion_text(completion), settings, tokens=length)
            for completion, length in zip(completions, lengths, strict=True)
        ]

    return format


def completion_text(completion: Any) -> str:
    """The text of a completion that is a string or a list of chat messages. Raises TypeError on anything else."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and all(isinstance(message, dict) for message in completion):
        return "".join(str(message.get("content") or "") for message in completion)
    raise TypeError(f"a completion must be a string or chat messages, found {type(completion).__name__}")
