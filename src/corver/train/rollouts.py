"""Sampling inside TRL with a shared prompt cache, for runs without an inference server.

In: prompts as TRL hands them over. Out: what TRL's `rollout_func` must return. All prompts of a run begin with the same
instruction and examples; transformers computes them once a completion, this once a batch. This module knows no reward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from corver.policy.generate import SamplingSettings, sample_ids
from corver.policy.load import Policy

__all__ = ["shared_prompt_rollouts"]


def shared_prompt_rollouts(settings: SamplingSettings) -> Callable[[list[Any], Any], dict[str, Any]]:
    """A `rollout_func` for one process. Log-probabilities are left to the trainer, which recomputes them if needed."""

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        tokenizer = trainer.processing_class
        prompt_ids = [
            tokenizer.apply_chat_template(
                prompt, add_generation_prompt=True, return_dict=False, **trainer.chat_template_kwargs
            )
            for prompt in prompts
        ]
        model = trainer.accelerator.unwrap_model(trainer.model)
        policy = Policy(name="policy", model=model, tokenizer=tokenizer)
        completions = [ids for ids, _ in sample_ids(policy, prompt_ids, settings)]
        return {"prompt_ids": prompt_ids, "completion_ids": completions, "logprobs": None}

    return rollout
