"""A causal language model on this machine: where it runs, how it is loaded, how it goes on from token ids.

In: a local folder or hub id, or token ids. Out: a transformers model with its tokenizer; the ids that it adds, many
rows at a time. Weights come as safetensors or GGUF, never as pickles, and code that comes with a model runs only when
the caller says so. What all rows begin with is computed once and its cache shared: with worked examples in the prompt
that is most of the work. This module knows no prompts, no text and no settings file.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, GenerationConfig
from transformers.utils import logging as transformers_logging

from corver.errors import ConfigError, InputError

__all__ = [
    "LEAST_SHARED",
    "cache_argument",
    "continue_ids",
    "end_ids",
    "greedy_settings",
    "load_language_model",
    "pick_device",
    "pick_dtype",
    "quiet_hub",
    "shared_length",
]

LEAST_SHARED = 16
"""A shared beginning shorter than this is not worth a pass of its own."""


def pick_device(wanted: str) -> torch.device:
    """`auto` is CUDA, else Apple's MPS, else the CPU. Raises ConfigError for a device that is not there."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == "auto":
        return torch.device(next(name for name, found in there.items() if found))
    if not there[wanted]:
        raise ConfigError(f"device {wanted}: torch finds no such device here; use auto or cpu")
    return torch.device(wanted)


def pick_dtype(wanted: str, device: torch.device) -> torch.dtype:
    """`auto` is bfloat16 where the device computes in it, else float32."""
    if wanted != "auto":
        return {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[wanted]
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    if device.type == "cpu":
        return torch.bfloat16 if _cpu_has_bfloat16() else torch.float32
    return torch.float32


@contextmanager
def quiet_hub() -> Iterator[None]:
    """Keep the hub's library from telling of every attempt to reach it; what failed is in the error at the end."""
    logger = logging.getLogger("huggingface_hub")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def load_language_model(
    name: str,
    *,
    revision: str | None = None,
    gguf_file: str | None = None,
    dtype: str = "auto",
    device: str = "auto",
    trust_remote_code: bool = False,
) -> tuple[Any, Any]:
    """Model and tokenizer, on their device. The tokenizer has an end token, a padding token and a chat template.

    Raises InputError with one line when they cannot be loaded or cannot take a prompt.
    """
    # Loading takes a second or two; its bars would break the caller's own.
    transformers_logging.disable_progress_bar()
    place = pick_device(device)
    arguments: dict[str, Any] = {"trust_remote_code": trust_remote_code}
    if revision:
        arguments["revision"] = revision
    if gguf_file:
        arguments["gguf_file"] = gguf_file
    try:
        with quiet_hub():
            tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left", **arguments)
            weights = {} if gguf_file else {"use_safetensors": True}
            model = AutoModelForCausalLM.from_pretrained(name, dtype=pick_dtype(dtype, place), **weights, **arguments)
    except (OSError, ValueError, RuntimeError, SafetensorError, StrictDataclassError) as error:
        raise InputError(f"{name}: cannot load a language model: {' '.join(str(error).split())}") from None
    if tokenizer.eos_token_id is None:
        raise InputError(f"{name}: its tokenizer has no end token")
    if not tokenizer.chat_template:
        raise InputError(f"{name}: its tokenizer has no chat template; use an instruction-tuned model")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.to(place)
    return model, tokenizer


def continue_ids(
    model: Any, prompts: Sequence[Sequence[int]], settings: GenerationConfig
) -> list[tuple[list[int], bool]]:
    """For each prompt the ids that follow, up to and with an end token, and whether the limit cut them off.

    settings: with `pad_token_id`, `eos_token_id` (a list) and `max_new_tokens`. Gradients are off and the model is in
    evaluation mode meanwhile.
    """
    shared = shared_length(prompts)
    head, tails = list(prompts[0][:shared]), [list(prompt[shared:]) for prompt in prompts]
    width = max(len(tail) for tail in tails)
    # Padding stands between the shared head and the rest; the mask hides it and positions skip it.
    rows = [head + [settings.pad_token_id] * (width - len(tail)) + tail for tail in tails]
    mask = [[1] * shared + [0] * (width - len(tail)) + [1] * len(tail) for tail in tails]
    was_training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            extra = _shared_cache(model, head, len(prompts)) if shared else {}
            output = model.generate(
                input_ids=torch.tensor(rows, device=model.device),
                attention_mask=torch.tensor(mask, device=model.device),
                generation_config=settings,
                **extra,
            )
    finally:
        model.train(was_training)
    return [_until_end(row, frozenset(settings.eos_token_id)) for row in output[:, shared + width :].tolist()]


def greedy_settings(model: Any, tokenizer: Any, *, max_tokens: int) -> GenerationConfig:
    """The likeliest token each time; nothing is taken from the model's own settings but its end tokens."""
    return GenerationConfig(
        max_new_tokens=max_tokens,
        do_sample=False,
        num_beams=1,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        use_cache=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=sorted(end_ids(model, tokenizer)),
    )


def shared_length(prompts: Sequence[Sequence[int]]) -> int:
    """Length of the beginning that all prompts share, leaving each at least one token; 0 when it is not worth it."""
    lowest, highest = min(map(list, prompts)), max(map(list, prompts))
    most = min(len(prompt) for prompt in prompts) - 1
    shared = next((at for at in range(most) if lowest[at] != highest[at]), max(most, 0))
    return shared if len(prompts) > 1 and shared >= LEAST_SHARED else 0


def end_ids(model: Any, tokenizer: Any) -> set[int]:
    """Ids that end a completion: every one that the model's generation settings declare, and the tokenizer's own."""
    settings = getattr(model, "generation_config", None)
    declared = getattr(settings, "eos_token_id", None)
    ends = set(declared if isinstance(declared, list) else [declared])
    return {int(number) for number in {*ends, tokenizer.eos_token_id} if number is not None}


def cache_argument(model: Any) -> str:
    """What this model calls its attention cache: transformers renamed past_key_values to cache during version 5."""
    return "cache" if "cache" in inspect.signature(type(model).forward).parameters else "past_key_values"


def _shared_cache(model: Any, head: list[int], copies: int) -> dict[str, DynamicCache]:
    """The attention cache of the shared beginning, once a completion, under the name that transformers gives it."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    name = cache_argument(base)
    cache = DynamicCache(config=model.config)
    model(input_ids=torch.tensor([head], device=model.device), logits_to_keep=1, **{name: cache})
    cache.batch_repeat_interleave(copies)
    return {name: cache}


def _until_end(row: list[int], ends: frozenset[int]) -> tuple[list[int], bool]:
    """Ids up to and with the first end token; pad may equal EOS, so what follows is dropped by position."""
    for place, number in enumerate(row):
        if number in ends:
            return row[: place + 1], False
    return row, True


def _cpu_has_bfloat16() -> bool:
    """Whether the CPU multiplies bfloat16 in hardware; emulation is slower than float32."""
    mkldnn = torch.backends.mkldnn.is_available()
    return bool(mkldnn and torch.ops.mkldnn._is_mkldnn_bf16_supported())
