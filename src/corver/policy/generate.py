"""Sampling from a policy: questions in, completions out, in batches with progress.

In: a Policy, questions, sampling settings. Out: one Sample a question and draw: the sampled ids, their text and
whether the limit cut it off. The prompt's part that all questions share (instruction, worked examples) is computed once
a batch and its cache shared: on a CPU that is most of the work. This module knows prompts and tokens, no reward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig

from corver.language_model import LEAST_SHARED, cache_argument, continue_ids, end_ids, shared_length
from corver.policy.load import Policy
from corver.policy.prompts import PromptName, render_prompt
from corver.policy.sampling import SamplingSettings
from corver.policy.tokens import detokenizer_of

__all__ = [
    "LEAST_SHARED",
    "Sample",
    "SamplingSettings",
    "cache_argument",
    "encode_prompt",
    "generate",
    "sample_ids",
    "shared_length",
]


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
    detokenize = detokenizer_of(policy.tokenizer, ids=policy.model.config.get_text_config().vocab_size)
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
    ends = end_ids(policy.model, policy.tokenizer)
    config = _generation_config(settings, pad=policy.tokenizer.pad_token_id, ends=ends)
    return continue_ids(policy.model, prompts, config)


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
