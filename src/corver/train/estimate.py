"""How much memory a run needs on each device, before any weight is loaded.

In: a RunConfig and the model's configuration (config.json). Out: bytes, part by part, of the two moments that can be
the fullest: sampling and the backward pass. Parameters are counted on a model without storage ("meta" device), so they
are exact; activations and logits follow the formulas below and are estimates; CUDA's context, fragmentation and buffers
of the attention kernels come on top. This module knows no data.

    weights      parameters · bytes of the dtype
    adapter      trained parameters · 4 (adapters are float32); all parameters are trained without adapters: 0 here
    gradients    trained parameters · bytes of their dtype
    optimiser    trained parameters · 8 (two moments in float32), · 2 with 8-bit AdamW
    reference    weights once more where β > 0 and all weights are trained; adapters are switched off instead
    cache        completions of a process · (prompt + completion) · layers · 2 · key-value heads · head size · bytes
    activations  tokens of a backward pass · layers · w; with gradient checkpointing · (layers · hidden + w)
    logits       completion tokens of a backward pass · min(vocabulary, 32,768) · (bytes + 4): TRL makes them in tiles

w, the bytes that a layer keeps for a token: b·(6 hidden + 3 queries + 4 keys + 4 inner) for what its matrices, rotary
embeddings and attention read, and 8 hidden for its norms in float32; with adapters b·(4 hidden + 3 queries + 4 keys + 3
inner), since frozen matrices keep no input, and 4·(in + r) for each adapted one, whose input is converted. b: bytes of
the dtype; queries, keys, inner: widths. After Korthikanti et al., arXiv 2205.05198, with attention that keeps no
scores; within a quarter of what autograd keeps for layers of the three architectures, as a test holds.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from corver.config import LoraSettings, PolicyConfig, RunConfig
from corver.errors import InputError
from corver.language_model import check_model_folder, loading_faults, quiet_hub
from corver.policy.load import pick_dtype
from corver.train.arguments import batch_sizes

__all__ = [
    "KNOWN",
    "Memory",
    "ModelShape",
    "estimate_memory",
    "layer_bytes",
    "lighter_micro_batch",
    "model_config",
    "shape_of",
]

_TILE = 32_768
_LLAMA = {"num_key_value_heads": 8, "head_dim": 128, "vocab_size": 128_256}
_QWEN = {"num_key_value_heads": 8, "head_dim": 128, "vocab_size": 151_936}
KNOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "meta-llama/Llama-3.2-3B-Instruct": ("llama", _LLAMA | {
        "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 28, "num_attention_heads": 24,
        "tie_word_embeddings": True}),
    "meta-llama/Llama-3.1-8B-Instruct": ("llama", _LLAMA | {
        "hidden_size": 4096, "intermediate_size": 14_336, "num_hidden_layers": 32, "num_attention_heads": 32}),
    "Qwen/Qwen3-4B": ("qwen3", _QWEN | {
        "hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32,
        "tie_word_embeddings": True}),
    "Qwen/Qwen3-8B": ("qwen3", _QWEN | {
        "hidden_size": 4096, "intermediate_size": 12_288, "num_hidden_layers": 36, "num_attention_heads": 32}),
    "Qwen/Qwen3-14B": ("qwen3", _QWEN | {
        "hidden_size": 5120, "intermediate_size": 17_408, "num_hidden_layers": 40, "num_attention_heads": 40}),
    "allenai/OLMo-2-1124-13B-Instruct": ("olmo2", {
        "hidden_size": 5120, "intermediate_size": 13_824, "num_hidden_layers": 40, "num_attention_heads": 40,
        "num_key_value_heads": 40, "vocab_size": 100_352}),
}  # fmt: skip
"""Shapes of the models of arXiv 2605.29648, for machines that cannot reach their hub: model type and configuration."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What the formulas read. parameters: all of them. trained: of the adapters, or all. inputs: widths of the inputs
    of a layer's adapted matrices, in sum, and adapted: how many of these matrices a layer has."""

    parameters: int
    trained: int
    layers: int
    hidden: int
    queries: int
    keys: int
    inner: int
    vocabulary: int
    inputs: int
    adapted: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on one device."""

    weights: int
    adapter: int
    gradients: int
    optimiser: int
    reference: int
    cache: int
    activations: int
    logits: int

    @property
    def sampling(self) -> int:
        """While completions are sampled: all but what a backward pass makes."""
        return self.weights + self.adapter + self.optimiser + self.reference + self.cache

    @property
    def backward(self) -> int:
        """At the end of a forward pass that will be differentiated."""
        held = self.weights + self.adapter + self.gradients + self.optimiser + self.reference
        return held + self.activations + self.logits

    def to_json(self) -> dict[str, int]:
        parts = {field.name: int(getattr(self, field.name)) for field in fields(self)}
        return {**parts, "sampling": self.sampling, "backward": self.backward}


def model_config(policy: PolicyConfig) -> tuple[Any, str | None]:
    """The model's configuration, and None, or one line that says why it is the built-in one.

    A model of the table is not asked for at its hub. Raises InputError when the configuration cannot be had.
    """
    known = KNOWN.get(policy.model) if not os.path.exists(policy.model) else None
    check_model_folder(policy.model, weights=False)
    try:
        with quiet_hub(), loading_faults(policy.model, part="its configuration"):
            found = AutoConfig.from_pretrained(
                policy.model,
                revision=policy.revision or "main",
                trust_remote_code=policy.trust_remote_code,
                local_files_only=known is not None,
            )
    except InputError:
        if known is None:
            raise
        note = f"{policy.model}: is not on this machine; the estimate uses corver's own table of shapes"
        return AutoConfig.for_model(known[0], **known[1]), note
    return found, None


def shape_of(config: Any, lora: LoraSettings | None) -> ModelShape:
    """The shape of a model with these adapters. Reads no weights."""
    text = config.get_text_config()
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    heads = text.num_attention_heads
    head = getattr(text, "head_dim", None) or text.hidden_size // heads
    inputs = adapted = trained = 0
    first = text.num_hidden_layers - (lora.top_layers or text.num_hidden_layers) if lora else 0
    for name, module in model.named_modules():
        if lora is None or not isinstance(module, torch.nn.Linear) or _layer(name) < first:
            continue
        if name.rpartition(".")[2] not in lora.target_modules:
            continue
        trained += lora.r * (module.in_features + module.out_features)
        inputs += module.in_features
        adapted += 1
    layers = int(text.num_hidden_layers)
    return ModelShape(
        parameters=parameters,
        trained=parameters if lora is None else trained,
        layers=layers,
        hidden=int(text.hidden_size),
        queries=heads * head,
        keys=int(getattr(text, "num_key_value_heads", None) or heads) * head,
        inner=int(text.intermediate_size),
        vocabulary=int(text.vocab_size),
        inputs=math.ceil(inputs / layers),
        adapted=math.ceil(adapted / layers),
    )


def estimate_memory(
    config: RunConfig, shape: ModelShape, *, device: torch.device, optimizer: str, processes: int = 1
) -> Memory:
    """Bytes on each device. device: where the run will be; this machine need not have one. optimizer: what it runs."""
    dtype = pick_dtype(config.policy.dtype, device) if device.type != "cuda" else _cuda_dtype(config.policy.dtype)
    size, lora = dtype.itemsize, config.policy.lora
    optimization, sampling = config.optimization, config.sampling
    sizes = batch_sizes(optimization, processes=processes)
    length = sampling.max_prompt_tokens + sampling.max_completion_tokens
    per_token = layer_bytes(shape, size=size, rank=lora.r if lora else 0)
    kept = shape.layers * per_token
    if optimization.gradient_checkpointing:
        kept = shape.layers * shape.hidden * size + per_token
    trained_size = 4 if lora else size
    state = 2 if optimizer == "adamw_bnb_8bit" else 2 * trained_size
    return Memory(
        weights=shape.parameters * size,
        adapter=shape.trained * trained_size if lora else 0,
        gradients=shape.trained * trained_size,
        optimiser=shape.trained * state,
        reference=shape.parameters * size if optimization.beta > 0 and lora is None else 0,
        cache=sizes.completions // processes * length * shape.layers * 2 * shape.keys * size,
        activations=sizes.micro * length * kept,
        logits=sizes.micro * sampling.max_completion_tokens * min(shape.vocabulary, _TILE) * (size + 4),
    )


def lighter_micro_batch(memory: Memory, micro: int) -> tuple[int, int] | None:
    """The largest divisor of `micro` with which logits are no more than half of a backward pass, or 1; and the bytes of
    that pass. None where they are no more than half now."""
    grows = memory.activations + memory.logits
    held = memory.backward - grows
    passes = [(size, held + grows * size // micro) for size in range(micro, 0, -1) if micro % size == 0]
    fitting = [(size, total) for size, total in passes if 2 * memory.logits * size // micro <= total]
    lighter = fitting[0] if fitting else passes[-1]
    return None if lighter[0] == micro else lighter


def layer_bytes(shape: ModelShape, *, size: int, rank: int) -> int:
    """w: what a layer keeps for a token until its backward pass. size: bytes of the dtype."""
    read = 4 * shape.hidden + 3 * shape.inner if shape.adapted else 6 * shape.hidden + 4 * shape.inner
    matrices = size * (read + 3 * shape.queries + 4 * shape.keys)
    return matrices + 8 * shape.hidden + 4 * (shape.inputs + shape.adapted * rank)


def _cuda_dtype(wanted: str) -> torch.dtype:
    return {"float32": torch.float32, "float16": torch.float16}.get(wanted, torch.bfloat16)


def _layer(name: str) -> int:
    """The number of the layer that a module belongs to, 0 outside the layers."""
    return next((int(part) for part in name.split(".") if part.isdigit()), 0)
