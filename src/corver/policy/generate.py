"""Sampling from a policy: questions in, completions out, in batches with progress.

In: a Policy, questions, sampling settings. Out: one Sample a question and draw: the sampled ids, their text and
whether the limit cut it off. The prompt's part that all questions share (instruction, worked examples) is computed once
a batch and its cache shared: on a CPU that is most of the work. This module knows prompts and tokens, no reward.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache, GenerationConfig

from corver.policy.load import Policy
from corver.policy.prompts import PromptName, render_prompt
from corver.policy.sampling import SamplingSettings
from corver.policy.tokens import detokenizer_of, end_ids

__all__ = ["Sample", "SamplingSettings", "cache_argument", "encode_prompt", "generate", "sample_ids", "shared_length"]

LEAST_SHARED = 16
"""A shared beginning shorter than this is not worth a pass of its own."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One completion. question: its position in the input. cut_off: it ended at the token limit, not by itself."""

    question: int
    ids: tuple[int, ...]
    text: str
    cut_off: bool


def encode_prompt(policy: Policy, question: str, *, prompt: PromptName, template: dict[str, Any]) -> list[int]:
    """Token ids of the question in the model's own chat template, up to where the completion starts."""
    text = render_prompt(policy.tokenizer, question, prompt=prompt, template=template)
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
    detokenize = detokenizer_of(policy.tokenizer, ids=policy.model.config.vocab_size)
    for start in range(0, len(order), step):
        numbers = [number for number in order[start : start + step] for _ in range(settings.samples)]
        rows = sample_ids(policy, [encoded[number] for number in numbers], settings)
        samples = [
            Sample(number, tuple(ids), detokenize(ids).text, cut_off)
            for number, (ids, cut_off) in zip(numbers, rows, strict=True)
        ]
        if progress:
            progress(len(samples))
        yield samples


def sample_ids(
    policy: Policy, prompts: Sequence[Sequence[int]], settings: SamplingSettings
) -> list[tuple[list[int], bool]]:
    """One completion a prompt: its ids up to and with the end token, and whether the limit cut it off."""
    shared = shared_length(prompts)
    head, tails = list(prompts[0][:shared]), [list(prompt[shared:]) for prompt in prompts]
    width = max(len(tail) for tail in tails)
    pad = policy.tokenizer.pad_token_id
    # Padding stands between the shared head and the question; the mask hides it and positions skip it.
    rows = [head + [pad] * (width - len(tail)) + tail for tail in tails]
    mask = [[1] * shared + [0] * (width - len(tail)) + [1] * len(tail) for tail in tails]
    ends = end_ids(policy.model, policy.tokenizer)
    extra: dict[str, Any] = {}
    was_training = policy.model.training
    policy.model.eval()
    try:
        with torch.inference_mode():
            if shared:
                extra = _shared_cache(policy, head, len(prompts))
            output = policy.model.generate(
                input_ids=torch.tensor(rows, device=policy.device),
                attention_mask=torch.tensor(mask, device=policy.device),
                generation_config=_generation_config(settings, pad=pad, ends=ends),
                **extra,
            )
    finally:
        policy.model.train(was_training)
    return [_until_end(row, ends) for row in output[:, shared + width :].tolist()]


def _generation_config(settings: SamplingSettings, *, pad: int, ends: set[int]) -> GenerationConfig:
    """Every warper named: what is left out is filled from the model's own defaults (a repetition penalty, a top-k),
    and the policy that is sampled would not be the policy that is trained."""
    sampling: dict[str, Any] = {"do_sample": False}
    if settings.temperature > 0:
        sampling = {"do_sample": True, "temperature": settings.temperature, "top_p": settings.top_p,
                    "top_k": settings.top_k, "min_p": 0.0, "typical_p": 1.0}  # fmt: skip
    return GenerationConfig(
        max_new_tokens=settings.max_tokens,
        pad_token_id=pad,
        eos_token_id=sorted(ends),
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        num_beams=1,
        use_cache=True,
        **sampling,
    )


def shared_length(prompts: Sequence[Sequence[int]]) -> int:
    """Length of the beginning that all prompts share, leaving each at least one token; 0 when it is not worth it."""
    lowest, highest = min(map(list, prompts)), max(map(list, prompts))
    most = min(len(prompt) for prompt in prompts) - 1
    shared = next((at for at in range(most) if lowest[at] != highest[at]), max(most, 0))
    return shared if len(prompts) > 1 and shared >= LEAST_SHARED else 0


def _shared_cache(policy: Policy, head: list[int], copies: int) -> dict[str, DynamicCache]:
    """The attention cache of the shared beginning, once a completion, under the name that transformers gives it."""
    base = policy.model.get_base_model() if hasattr(policy.model, "get_base_model") else policy.model
    name = cache_argument(base)
    cache = DynamicCache(config=policy.model.config)
    policy.model(input_ids=torch.tensor([head], device=policy.device), logits_to_keep=1, **{name: cache})
    cache.batch_repeat_interleave(copies)
    return {name: cache}


def cache_argument(model: Any) -> str:
    """What this model calls its attention cache: transformers renamed past_key_values to cache during version 5."""
    return "cache" if "cache" in inspect.signature(type(model).forward).parameters else "past_key_values"


def _until_end(row: list[int], ends: set[int]) -> tuple[list[int], bool]:
    """Ids up to and with the first end token; pad may equal EOS, so what follows is dropped by position."""
    for place, number in enumerate(row):
        if number in ends:
            return row[: place + 1], False
    return row, True
