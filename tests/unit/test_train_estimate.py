"""The memory estimate: parameters against published numbers, parts against arithmetic by hand, activations against
what autograd keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoConfig, AutoModelForCausalLM

from corver.config import LoraSettings, PolicyConfig, RunConfig
from corver.errors import InputError
from corver.train.estimate import KNOWN, estimate_memory, layer_bytes, model_config, shape_of

SMALL = {
    "vocab_size": 512, "hidden_size": 256, "intermediate_size": 640, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 64, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
PUBLISHED = {
    "meta-llama/Llama-3.2-3B-Instruct": 3_212_749_824,
    "meta-llama/Llama-3.1-8B-Instruct": 8_030_261_248,
    "Qwen/Qwen3-4B": 4_022_468_096,
    "Qwen/Qwen3-8B": 8_190_735_360,
    "Qwen/Qwen3-14B": 14_768_307_200,
    "allenai/OLMo-2-1124-13B-Instruct": 13_716_198_400,
}
"""Weights in the models' published safetensors files."""


def small(kind: str, layers: int = 2) -> Any:
    return AutoConfig.for_model(kind, num_hidden_layers=layers, **SMALL)


def run_config(**changes: Any) -> RunConfig:
    base = {"output": "o", "index": "i", "policy": {"model": "m", "dtype": "bfloat16"}, "data": {"questions": "q"}}
    return RunConfig.model_validate(base | changes)


@pytest.mark.parametrize("model", list(KNOWN))
def test_shapes_of_the_table_have_the_published_number_of_weights(model: str) -> None:
    kind, values = KNOWN[model]
    shape = shape_of(AutoConfig.for_model(kind, **values), LoraSettings())
    assert shape.parameters == PUBLISHED[model]
    assert 0.02 < shape.trained / shape.parameters < 0.08


@pytest.mark.parametrize("kind", ["llama", "qwen3", "olmo2"])
@pytest.mark.parametrize("top", [None, 1])
def test_trained_weights_are_those_of_the_adapters(kind: str, top: int | None) -> None:
    lora = LoraSettings(r=8, alpha=16, top_layers=top)
    model = get_peft_model(AutoModelForCausalLM.from_config(small(kind)), _peft(lora, layers=2))
    trained = sum(each.numel() for each in model.parameters() if each.requires_grad)
    assert shape_of(small(kind), lora).trained == trained


@pytest.mark.parametrize("kind", ["llama", "qwen3", "olmo2"])
@pytest.mark.parametrize("lora", [None, LoraSettings(r=8, alpha=16)], ids=["full", "lora"])
def test_a_layer_keeps_what_the_formula_says_within_a_quarter(kind: str, lora: LoraSettings | None) -> None:
    tokens = 2 * 96
    two, four = (_kept(kind, lora, layers) for layers in (2, 4))
    measured = (four - two) / 2 / tokens
    assert layer_bytes(shape_of(small(kind), lora), size=2, rank=lora.r if lora else 0) == pytest.approx(
        measured, rel=0.25
    )


def _peft(lora: LoraSettings, *, layers: int) -> LoraConfig:
    chosen = None if lora.top_layers is None else list(range(layers - lora.top_layers, layers))
    return LoraConfig(r=lora.r, lora_alpha=lora.alpha, target_modules=list(lora.target_modules), task_type="CAUSAL_LM",
                      layers_to_transform=chosen)  # fmt: skip


def _kept(kind: str, lora: LoraSettings | None, layers: int) -> int:
    """Bytes of all storages that a forward pass keeps for its backward pass, weights aside."""
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(small(kind, layers), dtype=torch.bfloat16)
    if lora is not None:
        model = get_peft_model(model, _peft(lora, layers=layers))
    weights = {each.untyped_storage().data_ptr() for each in model.parameters()}
    kept: dict[int, torch.Tensor] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = tensor
        return tensor

    ids = torch.randint(0, 512, (2, 96))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        model(input_ids=ids, attention_mask=torch.ones_like(ids), logits_to_keep=1)
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())


def test_parts_by_hand() -> None:
    """Two layers of width 256: one step of 2 × 4 completions, 10 + 30 tokens, two at a time."""
    config = run_config(
        policy={"model": "m", "dtype": "bfloat16", "lora": {"r": 8, "alpha": 16}},
        sampling={"max_prompt_tokens": 10, "max_completion_tokens": 30},
        optimization={"prompts_per_step": 2, "generations": 4, "micro_batch": 2, "beta": 0.1},
    )
    shape = shape_of(small("llama"), config.policy.lora)
    found = estimate_memory(config, shape, device=torch.device("cuda"), optimizer="adamw_torch")
    assert found.weights == 2 * shape.parameters
    assert found.adapter == found.gradients == 4 * shape.trained
    assert found.optimiser == 8 * shape.trained
    assert found.reference == 0
    assert found.cache == 8 * 40 * 2 * 2 * 128 * 2
    assert found.logits == 2 * 30 * 512 * 6
    assert found.activations == 2 * 40 * (2 * 256 * 2 + layer_bytes(shape, size=2, rank=8))
    assert found.sampling == found.weights + found.adapter + found.optimiser + found.cache
    assert found.backward == sum((found.weights, found.adapter, found.gradients, found.optimiser, found.activations,
                                  found.logits))  # fmt: skip
    eight = estimate_memory(config, shape, device=torch.device("cuda"), optimizer="adamw_bnb_8bit", processes=2)
    assert eight.optimiser == 2 * shape.trained
    assert eight.cache == found.cache // 2
    whole = config.model_copy(update={"policy": config.policy.model_copy(update={"lora": None})})
    full = estimate_memory(whole, shape_of(small("llama"), None), device=torch.device("cuda"), optimizer="adamw_torch")
    assert (full.adapter, full.reference, full.gradients) == (0, full.weights, full.weights)


def test_a_models_own_configuration_comes_first(tmp_path: Path) -> None:
    small("qwen3").save_pretrained(tmp_path)
    found, note = model_config(PolicyConfig(model=str(tmp_path)))
    assert (found.model_type, found.hidden_size, note) == ("qwen3", 256, None)


def test_a_known_model_that_is_not_here_is_estimated_without_a_network() -> None:
    found, note = model_config(PolicyConfig(model="Qwen/Qwen3-4B", revision="no-such-revision"))
    assert found.num_hidden_layers == 36
    assert note is not None
    assert "own table of shapes" in note


@pytest.mark.parametrize("fault", ['"hidden_size": "wide"', '"num_attention_heads": 0'])
def test_a_configuration_that_makes_no_sense_is_one_line(fault: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama", ' + fault + "}")
    with pytest.raises(InputError, match="cannot load its configuration") as raised:
        model_config(PolicyConfig(model=str(tmp_path)))
    assert "\n" not in str(raised.value)


def test_a_folder_without_configuration_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no config\.json") as raised:
        model_config(PolicyConfig(model=str(tmp_path)))
    assert "\n" not in str(raised.value)
