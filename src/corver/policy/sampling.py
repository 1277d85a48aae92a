"""How completions are sampled: plain numbers, which need no model to be written down.

In: nothing. Out: `SamplingSettings`, for a policy on this machine and for a model behind an endpoint alike.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SamplingSettings"]


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """temperature 0 is greedy. max_tokens: of the completion. samples: draws a prompt. batch: completions at once."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 256
    samples: int = 1
    batch: int = 32
    seed: int = 42
