"""A causal language model on this machine: where it runs, how it is loaded, how it goes on from token ids.

In: a local folder or hub id, or token ids. Out: a transformers model with its tokenizer; the ids that it adds, many
rows at a time. Weights come as safetensors or GGUF, never as pickles, and code that comes with a model runs only when
the caller says so. What all rows begin with is computed once and its cache shared: with worked examples in the prompt
that is most of the work. This module knows no prompts, no text and no settings file.
"""

from __future__ import annotations

import inspect
import json
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
from huggingface_hub.errors import HFValidationError, StrictDataclassError
from huggingface_hub.utils import validate_repo_id
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, GenerationConfig
from transformers.utils import logging as transformers_logging

from corver.errors import ConfigError, InputError

__all__ = [
    "LEAST_SHARED",
    "cache_argument",
    "check_model_folder",
    "continue_ids",
    "end_ids",
    "greedy_settings",
    "load_language_model",
    "loading_faults",
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


def check_model_folder(name: str, *, gguf_file: str | None = None, weights: bool = True) -> None:
    """Raise InputError with one line for a folder, or a path to none, that no model can be loaded from.

    A name that may be a hub's passes. weights: they and the tokenizer are needed, not only the configuration.
    """
    folder = Path(name)
    if not name:
        raise InputError("the name of the language model is empty; give a folder or a hub id")
    if os.path.isfile(name):  # unlike pathlib's, false for names that no file system takes
        raise InputError(f"{name}: is a file; name the folder of a model (a GGUF file in it is named besides)")
    if not os.path.isdir(name):
        try:
            validate_repo_id(name)
        except HFValidationError:
            raise InputError(f"{name}: no such folder, and no name that a hub could have") from None
        return
    if gguf_file is not None:
        if not (folder / gguf_file).is_file():
            raise InputError(f"{name}: there is no {gguf_file} in this folder")
        return
    if (folder / "adapter_config.json").is_file():  # says itself what it adapts
        return
    config = folder / "config.json"
    if not config.is_file():
        raise InputError(f"{name}: there is no config.json in this folder; a language model has one")
    try:
        found = json.loads(config.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{config}: is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"{config}: is not the configuration of a model: expected a JSON object")
    if not weights:
        return
    if not any(folder.glob("*.safetensors")):
        pickled = "; pickled weights are not loaded" if any(folder.glob("*.bin")) else ""
        raise InputError(f"{name}: there are no weights in safetensors in this folder{pickled}")
    if not any(path for pattern in _TOKENIZER_FILES for path in folder.glob(pattern)):
        raise InputError(f"{name}: there is no tokenizer in this folder (tokenizer.json)")


_TOKENIZER_FILES = ("*token*", "*vocab*", "*.model", "*.tiktoken")


@contextmanager
def loading_faults(name: str, *, part: str = "a language model") -> Iterator[None]:
    """Around the loading of a model or a part of it: what a broken or an absent one makes transformers raise becomes an
    InputError of one line."""
    try:
        yield
    except _LOADING_FAULTS as error:
        raise InputError(_loading_fault(name, part, error)) from error
    except Exception as error:
        if type(error) is not Exception:  # what tokenizers raises for files that it cannot read
            raise
        raise InputError(_loading_fault(name, part, error)) from error


_NO_JSON_OF_A_MODEL = (TypeError, AttributeError, LookupError, ArithmeticError)
"""transformers takes for granted that the JSON files of a folder hold what it wrote there itself."""

_LOADING_FAULTS = (OSError, ValueError, RuntimeError, ImportError, SafetensorError, StrictDataclassError,
                   *_NO_JSON_OF_A_MODEL)  # fmt: skip


def _loading_fault(name: str, part: str, error: Exception) -> str:
    reason = shorten(str(error) or type(error).__name__, 300, placeholder=" …")
    if isinstance(error, _NO_JSON_OF_A_MODEL):
        reason = f"{type(error).__name__}: {reason} (is a JSON file in it damaged?)"
    if not os.path.isdir(name):
        return f"{name}: no such folder, and no model of that name could be had from the hub: {reason}"
    return f"{name}: cannot load {part}: {reason}"


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
    check_model_folder(name, gguf_file=gguf_file)
    arguments: dict[str, Any] = {"trust_remote_code": trust_remote_code}
    if revision:
        arguments["revision"] = revision
    if gguf_file:
        arguments["gguf_file"] = gguf_file
    with quiet_hub(), loading_faults(name, part="its tokenizer"):
        tokenizer = AutoTokenizer.from_pretrained(name, padding_side="left", **arguments)
    with quiet_hub(), loading_faults(name):
        weights = {} if gguf_file else {"use_safetensors": True}
        model, told = AutoModelForCausalLM.from_pretrained(
            name, dtype=pick_dtype(dtype, place), output_loading_info=True, **weights, **arguments
        )
    if missing := sorted(told["missing_keys"]):
        # transformers fills them with chance and goes on.
        raise InputError(f"{name}: {len(missing)} of its weights are missing, {missing[0]} among them")
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
