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
from corver.language_model import load_language_model, pick_device, pick_dtype
from corver.policy.weights import model_fingerprint

__all__ = ["Policy", "convert_gguf", "load_policy", "pick_device", "pick_dtype"]


@dataclass(slots=True)
class Policy:
    """A causal language model and its tokenizer. name: what to call it in reports. weights: a fingerprint of the folder
    that it was loaded from, None for one of a hub."""

    name: str
    model: Any
    tokenizer: Any
    weights: str | None = None

    @property
    def device(self) -> torch.device:
        return torch.device(self.model.device)


def load_policy(config: PolicyConfig) -> Policy:
    """Load model and tokenizer. Raises InputError with one line when they cannot be loaded or cannot take a prompt."""
    model, tokenizer = load_language_model(
        config.model,
        revision=config.revision,
        gguf_file=config.gguf_file,
        dtype=config.dtype,
        device=config.device,
        trust_remote_code=config.trust_remote_code,
    )
    weights = model_fingerprint(config.model, gguf_file=config.gguf_file)
    return Policy(name=Path(config.model).name, model=model, tokenizer=tokenizer, weights=weights)


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
