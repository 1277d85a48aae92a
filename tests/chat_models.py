"""Untrained models of two layers of the architectures that the recipes are for, with chat templates of their manner.

The templates are written here after the conventions of the published ones: special tokens, turns, dates, thoughts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken
from transformers import AutoConfig, AutoModelForCausalLM, GenerationConfig, PreTrainedTokenizerFast

from corver.policy.prompts import prompt_messages
from tiny import DOCUMENTS, QUESTIONS, SHAPE, byte_level_bpe, good_completion

LLAMA = """{{- bos_token }}
{%- if not date_string is defined %}{%- if strftime_now is defined %}{%- set date_string = strftime_now("%d %b %Y") %}
{%- else %}{%- set date_string = "26 Jul 2024" %}{%- endif %}{%- endif %}
{%- if messages[0]['role'] == 'system' %}{%- set said = messages[0]['content']|trim %}
{%- set messages = messages[1:] %}{%- else %}{%- set said = "" %}{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\nToday Date: " + date_string + "\\n\\n" + said + "<|eot_id|>" }}
{%- for message in messages %}
{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"""

QWEN3 = """{%- for message in messages %}
{%- set content = message.content %}
{%- if message.role == 'assistant' and '</think>' in content %}
{%- set content = content.split('</think>')[-1].lstrip('\\n') %}{%- endif %}
{{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}"""

OPENED = QWEN3.replace("{%- if enable_thinking is defined and enable_thinking is false %}", "").replace(
    "{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}", "{{- '<think>\\n' }}"
)
"""As the templates of models that always think: the prompt itself opens the thought."""

OLMO2 = """{{- bos_token }}{%- for message in messages %}
{%- if message['role'] == 'assistant' %}{{- '<|assistant|>\\n' + message['content'] + eos_token + '\\n' }}
{%- else %}{{- '<|' + message['role'] + '|>\\n' + message['content'] + '\\n' }}{%- endif %}
{%- if loop.last and add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}{%- endfor %}"""


@dataclass(frozen=True)
class Family:
    """special: tokens that decoding hides. added: tokens that it shows. ends: what the model's settings end on."""

    kind: str
    template: str
    special: tuple[str, ...]
    added: tuple[str, ...]
    bos: str | None
    eos: str
    pad: str | None
    ends: tuple[str, ...]


FAMILIES = {
    "llama": Family(
        "llama", LLAMA,
        ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>",
         "<|eot_id|>"),
        (), "<|begin_of_text|>", "<|eot_id|>", None, ("<|end_of_text|>", "<|eom_id|>", "<|eot_id|>")),
    "qwen3": Family(
        "qwen3", QWEN3, ("<|endoftext|>", "<|im_start|>", "<|im_end|>"), ("<think>", "</think>"),
        None, "<|im_end|>", "<|endoftext|>", ("<|im_end|>", "<|endoftext|>")),
    "olmo2": Family("olmo2", OLMO2, ("<|endoftext|>", "<|pad|>"), (), "<|endoftext|>", "<|endoftext|>", "<|pad|>",
                    ("<|endoftext|>",)),
}  # fmt: skip


def make_chat_tokenizer(family: Family, *, template: str | None = None) -> PreTrainedTokenizerFast:
    """Byte-level BPE, as all three have it."""
    texts = [text for _, text in DOCUMENTS]
    texts += [question + " " + good_completion(thought, answer) for question, answer, thought in QUESTIONS]
    texts += [message["content"] for message in (*prompt_messages("x"), *prompt_messages("x", prompt="few_shot"))]
    tokenizer = byte_level_bpe(texts * 3, size=700, special=list(family.special))
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=False) for token in family.added])
    named = {"bos_token": family.bos, "eos_token": family.eos, "pad_token": family.pad}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        chat_template=template or family.template,
        padding_side="left",
        extra_special_tokens=[token for token in family.special if token not in named.values()],
        **{name: token for name, token in named.items() if token},
    )


def make_chat_model(family: Family, tokenizer: PreTrainedTokenizerFast) -> Any:
    """A random model whose embedding has more rows than the tokenizer has tokens, as Qwen3's has."""
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        family.kind,
        vocab_size=len(tokenizer) + 8,
        hidden_size=32,
        intermediate_size=48,
        head_dim=8,
        **SHAPE,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=family.kind == "llama",
    )
    model = AutoModelForCausalLM.from_config(config)
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.convert_tokens_to_ids(list(family.ends)),
        pad_token_id=tokenizer.pad_token_id,
        do_sample=True,
        temperature=0.6,
        top_p=0.9,
    )
    return model


def save_chat_model(folder: Path, kind: str, *, template: str | None = None) -> None:
    family = FAMILIES[kind]
    tokenizer = make_chat_tokenizer(family, template=template)
    make_chat_model(family, tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
