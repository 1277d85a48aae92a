"""Loading a policy: weights and tokenizer from a local folder, a hub id, or a GGUF file.

In: a PolicyConfig. Out: a transformers model and its tokenizer, ready to sample. Remote code runs only when the
configuration says so, and weights come as safetensors or GGUF, never as pickles. This module knows no reward.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from corver.config import PolicyConfig
from corver.errors import ConfigError, InputError

__all__ = ["Policy", "convert_gguf", "load_policy", "pick_device", "pick_dtype"]


@dataclass(slots=True)
class Policy:
    """A causal language model and its tokenizer. name: what to call it in reports."""

    name: str
    model: Any
    tokenizer: Any

    @property
    def device(self) -> torch.device:
        return torch.device(self.model.device)


def pick_device(wanted: str) -> torch.device:
    """`auto` is CUDA, else Apple's MPS, else the CPU. Raises ConfigError for a device that is not there."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == "auto":
        return torch.device(next(name for name, found in there.items() if found))
    if not there[wanted]:
        raise ConfigError(f"policy.device={wanted}: torch finds no such device here; use auto or cpu")
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


def load_policy(config: PolicyConfig) -> Policy:
    """Load model and tokenizer. Raises InputError with one line when they cannot be loaded or cannot take a prompt."""
    # Loading takes a second or two; its bars would break the caller's own.
    transformers_logging.disable_progress_bar()
    device = pick_device(config.device)
    arguments: dict[str, Any] = {"trust_remote_code": config.trust_remote_code}
    if config.revision:
        arguments["revision"] = config.revision
    if config.gguf_file:
        arguments["gguf_file"] = config.gguf_file
    try:
        tokenizer = AutoTokenizer.from_pretrained(config.model, padding_side="left", **arguments)
        weights = {} if config.gguf_file else {"use_safetensors": True}
        model = AutoModelForCausalLM.from_pretrained(
            config.model, dtype=pick_dtype(config.dtype, device), **weights, **arguments
        )
    except (OSError, ValueError) as error:
        raise InputError(f"{config.model}: cannot load a language model: {' '.join(str(error).split())}") from None
    if tokenizer.eos_token_id is None:
        raise InputError(f"{config.model}: its tokenizer has no end token")
    if not tokenizer.chat_template:
        raise InputError(f"{config.model}: its tokenizer has no chat template; use an instruction-tuned model")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.to(device)
    return Policy(name=Path(config.model).name, model=model, tokenizer=tokenizer)


def convert_gguf(folder: Path, gguf_file: str, output: Path) -> None:
    """Turn a GGUF file into an ordinary model folder (safetensors, bfloat16) that can be trained and reloaded."""
    transformers_logging.disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=gguf_file)
    # The converter draws a bar of its own, terminal or not.
    with contextlib.redirect_stderr(io.StringIO()):
        loaded = AutoModelForCausalLM.from_pretrained(folder, gguf_file=gguf_file, dtype=torch.float32)
    config = type(loaded.config).from_dict(
        {key: value for key, value in loaded.config.to_dict().items() if key != "quantization_config"}
    )
    # A fresh model of the same shape: the loaded one is marked as quantised and refuses to be saved.
    plain = AutoModelForCausalLM.from_config(config)
    plain.load_state_dict(loaded.state_dict(), strict=True)
    plain.to(torch.bfloat16).save_pretrained(output)
    tokenizer.save_pretrained(output)


def _cpu_has_bfloat16() -> bool:
    """Whether the CPU multiplies bfloat16 in hardware; emulation is slower than float32."""
    mkldnn = torch.backends.mkldnn.is_available()
    return bool(mkldnn and torch.ops.mkldnn._is_mkldnn_bf16_supported())
