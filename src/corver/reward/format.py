"""The format reward R_f, and the length term of the authors' later release (arXiv 2605.29648).

In: a completion, or its number of tokens. Out: a number. This module knows nothing of facts or answers.
"""

from __future__ import annotations

from corver.errors import UsageError
from corver.text.rollout import parse_rollout

__all__ = ["format_reward", "length_penalty"]


def format_reward(completion: str, *, good: float = 1.0, bad: float = -1.0, think_opened: bool = False) -> float:
    """`good` when think and answer are present, closed and non-empty, once each and in order; else `bad`.

    think_opened: the prompt already ends in `<think>`.
    """
    return good if parse_rollout(completion, think_opened=think_opened).well_formed else bad


def length_penalty(tokens: int, *, limit: int = 512, weight: float = 0.5) -> float:
    """−weight · max(0, tokens − limit) / limit: 0 up to the limit, −weight at twice the limit."""
    if limit <= 0:
        raise UsageError(f"the length limit must be positive, not {limit}")
    return -weight * max(0, tokens - limit) / limit if tokens > limit else 0.0
