"""Response rewards as TRL reward functions: the judge and the format.

In: completions as TRL hands them over, strings or chat messages, and the `answers` column. Out: one number a
completion. They work in a plain GRPOTrainer too. This module knows no sentence reward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from corver.config import FormatConfig, JudgeConfig
from corver.reward.format import format_reward, length_penalty
from corver.reward.judge import judge

__all__ = ["completion_text", "format_function", "gold_answers", "judge_function"]

RewardFunction = Callable[..., list[float | None]]


def judge_function(config: JudgeConfig | None = None) -> RewardFunction:
    """R_j over the answer span; needs the column `answers`, the gold or golds of each completion.

    The column `question`, where there is one, tells the rule `lenient` how precise an answer must be. None, "does not
    apply", for a completion without any gold.
    """
    settings = config or JudgeConfig()
    rewards = settings.model_dump()

    def judge_answers(
        *, completions: Sequence[Any], answers: Sequence[Any], question: Sequence[Any] | None = None, **_: Any
    ) -> list[float | None]:
        asked = [None] * len(completions) if question is None else question
        judgements = [
            judge(completion_text(completion), gold_answers(golds), question=_text_or_none(text), **rewards)
            for completion, golds, text in zip(completions, answers, asked, strict=True)
        ]
        return [None if judgement is None else judgement.reward for judgement in judgements]

    return _named(judge_answers, "judge")


def format_function(config: FormatConfig | None = None, *, think_opened: bool = False) -> RewardFunction:
    """R_f over the tags; the length term reads `completion_ids`. think_opened: the prompt already ends in `<think>`."""
    settings = config or FormatConfig()

    def format_of(
        *, completions: Sequence[Any], completion_ids: Sequence[Sequence[int]] | None = None, **_: Any
    ) -> list[float | None]:
        texts = [completion_text(completion) for completion in completions]
        rewards = [
            format_reward(text, good=settings.good, bad=settings.bad, think_opened=think_opened) for text in texts
        ]
        if not settings.length_penalty:
            return list(rewards)
        if completion_ids is None:
            raise TypeError("the length penalty needs completion_ids")
        return [
            reward + length_penalty(len(ids), limit=settings.length_limit)
            for reward, ids in zip(rewards, completion_ids, strict=True)
        ]

    return _named(format_of, "format")


def completion_text(completion: Any) -> str:
    """The policy's text in a completion that is a string or a list of chat messages. TypeError on anything else.

    Of messages, those of the assistant count; the content of each is a string or a list of typed blocks.
    """
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and all(isinstance(message, dict) for message in completion):
        own = [message for message in completion if message.get("role", "assistant") == "assistant"]
        return "".join(_content(message.get("content")) for message in own)
    raise TypeError(f"a completion must be a string or chat messages, found {type(completion).__name__}")


def gold_answers(value: Any) -> tuple[str, ...]:
    """The golds in a field that holds none (None), one (a string) or several."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _content(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(str(block.get("text") or "") for block in content if block.get("type") == "text")


def _named(function: RewardFunction, name: str) -> RewardFunction:
    """TRL logs a reward under its function's name."""
    function.__name__ = name
    return function
