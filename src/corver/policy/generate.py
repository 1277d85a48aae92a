"""Sampling from a policy: questions in, completions out, in batches with progress.

In: a Policy, questions, sampling settings. Out: one Sample a question and draw: the sampled ids, their text and
whether the limit cut it off. Batches are padded on the left and sorted by prompt length. This module knows prompts
and tokens, no reward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from corver.policy.load import Policy
from corver.policy.prompts import PromptName, prompt_messages
from corver.policy.tokens import detokenizer_of

__all__ = ["Sample", "SamplingSettings", "encode_prompt", "generate"]


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """temperature 0 is greedy. max_tokens: of the completion. samples: draws a prompt."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 256
    samples: int = 1
    batch: int = 32
    seed: int = 42


@dataclass(frozen=True, slots=True)
class Sample:
    """One completion. question: its position in the input. cut_off: it ended at the token limit, not by itself."""

    question: int
    ids: tuple[int, ...]
    text: str
    cut_off: bool


def encode_prompt(policy: Policy, question: str, *, prompt: PromptName, template: dict[str, Any]) -> list[int]:
    """Token ids of the question in the model's own chat template, up to where the completion starts."""
    messages = prompt_messages(question, prompt=prompt)
    text = policy.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **template)
    return list(policy.tokenizer(text, add_special_tokens=False)["input_ids"])


def generate(
    policy: Policy,
    questions: Sequence[str],
    *,
    prompt: PromptName,
    settings: SamplingSettings,
    template: dict[str, Any] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[list[Sample]]:
    """Yield the samples of a batch of questions at a time (all draws of a question together), longest prompts first.

    progress: called with the number of completions finished. The global torch generator is seeded with
    `settings.seed`, so the same call gives the same samples.
    """
    torch.manual_seed(settings.seed)
    encoded = [encode_prompt(policy, text, prompt=prompt, template=template or {}) for text in questions]
    order = sorted(range(len(encoded)), key=lambda number: -len(encoded[number]))
    step = max(1, settings.batch // settings.samples)
    detokenize = detokenizer_of(policy.tokenizer)
    ends = _end_ids(policy)
    for start in range(0, len(order), step):
        numbers = [number for number in order[start : start + step] for _ in range(settings.samples)]
        rows = _generate_batch(policy, [encoded[number] for number in numbers], settings)
        samples = []
        for number, row in zip(numbers, rows, strict=True):
            ids, cut_off = _until_end(row, ends)
            samples.append(Sample(number, ids, detokenize(ids).text, cut_off))
        if progress:
            progress(len(samples))
        yield samples


def _generate_batch(policy: Policy, prompts: list[list[int]], settings: SamplingSettings) -> list[list[int]]:
    width = max(len(ids) for ids in prompts)
    pad = policy.tokenizer.pad_token_id
    input_ids = torch.tensor([[pad] * (width - len(ids)) + ids for ids in prompts], device=policy.device)
    mask = torch.tensor([[0] * (width - len(ids)) + [1] * len(ids) for ids in prompts], device=policy.device)
    sampling: dict[str, Any] = {"do_sample": False}
    if settings.temperature > 0:
        sampling = {"do_sample": True, "temperature": settings.temperature, "top_p": settings.top_p,
                    "top_k": settings.top_k}  # fmt: skip
    was_training = policy.model.training
    policy.model.eval()
    with torch.inference_mode():
        output = policy.model.generate(
            input_ids=input_ids,
            attention_mask=mask,
            max_new_tokens=settings.max_tokens,
            pad_token_id=pad,
            **sampling,
        )
    policy.model.train(was_training)
    return [list(row) for row in output[:, width:].tolist()]


def _end_ids(policy: Policy) -> set[int]:
    declared = policy.model.generation_config.eos_token_id
    ends = set(declared if isinstance(declared, list) else [declared])
    return {number for number in {*ends, policy.tokenizer.eos_token_id} if number is not None}


def _until_end(row: list[int], ends: set[int]) -> tuple[tuple[int, ...], bool]:
    """Ids up to and with the first end token; pad may equal EOS, so what follows is dropped by position."""
    for place, number in enumerate(row):
        if number in ends:
            return tuple(row[: place + 1]), False
    return tuple(row), True
