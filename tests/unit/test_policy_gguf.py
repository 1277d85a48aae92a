"""A GGUF file becomes an ordinary model folder: same weights, same tokens, ready to train."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gguf import GGUFWriter
from transformers import AutoModelForCausalLM

from corver.config import PolicyConfig
from corver.policy.generate import SamplingSettings, encode_prompt, sample_ids
from corver.policy.load import Policy, convert_gguf, load_policy
from tiny import QUESTIONS, make_policy

NAMES = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
}  # fmt: skip
TOP = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def interleaved(weight: np.ndarray, heads: int) -> np.ndarray:
    """GGUF keeps the two halves of a rotary head side by side."""
    return weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def write_gguf(policy: Policy, path: Path) -> None:
    config, tokenizer = policy.model.config, policy.tokenizer
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config.vocab_size)
    parts = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokenizer.convert_ids_to_tokens(list(range(len(tokenizer)))))
    writer.add_token_merges([" ".join(merge) for merge in parts["merges"]])
    writer.add_token_types([3 if number in tokenizer.all_special_ids else 1 for number in range(len(tokenizer))])
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_pad_token_id(tokenizer.pad_token_id)
    writer.add_chat_template(tokenizer.chat_template)
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for name, tensor in policy.model.state_dict().items():
        stem, weight = name.removesuffix(".weight"), tensor.float().numpy()
        if stem in TOP:
            writer.add_tensor(f"{TOP[stem]}.weight", weight)
            continue
        _, _, layer, own = stem.split(".", 3)
        new = NAMES[own]
        weight = interleaved(weight, heads[new]) if new in heads else weight
        writer.add_tensor(f"blk.{layer}.{new}.weight", np.ascontiguousarray(weight))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Policy, Path]:
    folder = tmp_path_factory.mktemp("gguf")
    policy = make_policy()
    write_gguf(policy, folder / "tiny.gguf")
    convert_gguf(folder, "tiny.gguf", folder / "model")
    return policy, folder / "model"


def test_the_weights_are_those_of_the_file(converted: tuple[Policy, Path]) -> None:
    policy, folder = converted
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    expected = policy.model.state_dict()
    found = model.state_dict()
    assert found.keys() == expected.keys()
    for name, weight in expected.items():
        assert torch.equal(found[name], weight.to(torch.bfloat16)), name
    assert list(folder.glob("*.safetensors"))
    assert "quantization_config" not in json.loads((folder / "config.json").read_text())


def test_the_folder_loads_and_samples_like_the_original(converted: tuple[Policy, Path]) -> None:
    original, folder = converted
    policy = load_policy(PolicyConfig(model=str(folder), dtype="float32", device="cpu"))
    original.model.to(torch.bfloat16).to(torch.float32)
    questions = [question for question, *_ in QUESTIONS[:3]]
    prompts, expected = (
        [encode_prompt(one, text, prompt="instruct", template={}) for text in questions] for one in (policy, original)
    )
    assert prompts == expected
    greedy = SamplingSettings(max_tokens=12)
    assert sample_ids(policy, prompts, greedy) == sample_ids(original, prompts, greedy)
    assert policy.tokenizer.eos_token_id == original.tokenizer.eos_token_id
