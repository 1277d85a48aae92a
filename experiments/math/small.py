"""A model of some 200,000 weights that half knows its sums, so that the example runs offline in minutes.

In: word problems. Out: a policy fitted to answers in digits and in words alike.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
from problems import SMALL, TENS, completion
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from corver.policy.load import Policy

END = "<end>"
TEMPLATE = "{% for message in messages %}{{ message['content'] + ' ' }}{% endfor %}"


def make_tokenizer(rows: Sequence[dict[str, object]]) -> PreTrainedTokenizerFast:
    """A token a word."""
    words = {word for row in rows for word in f"{row['question']} {row['thought']} {row['answers'][0]}".split()}  # type: ignore[index]
    vocabulary = [END, "<think>", "</think>", "<answer>", "</answer>", "?", *SMALL.split(), *TENS.split()]
    vocabulary += sorted(words - set(vocabulary))
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(vocabulary)}, unk_token="?"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, pad_token=END, chat_template=TEMPLATE, padding_side="left"
    )


def fitted_policy(rows: Sequence[dict[str, object]], *, steps: int, seed: int = 0, batch: int = 64) -> Policy:
    """Fit a small Llama to both spellings of the right answers."""
    torch.manual_seed(seed)
    tokenizer = make_tokenizer(rows)
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=96, intermediate_size=256, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=64, **ends,
        )
    )  # fmt: skip
    draw = random.Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for _ in range(steps):
        chosen = [draw.choice(rows) for _ in range(batch)]
        prompts = [tokenizer(str(row["question"]))["input_ids"] for row in chosen]
        replies = [tokenizer(completion(row, words=draw.random() < 0.5) + f" {END}")["input_ids"] for row in chosen]
        width = max(len(p) + len(r) for p, r in zip(prompts, replies, strict=True))
        ids = torch.full((batch, width), tokenizer.pad_token_id)
        labels = torch.full((batch, width), -100)
        mask = torch.zeros(batch, width, dtype=torch.long)
        for place, (prompt, reply) in enumerate(zip(prompts, replies, strict=True)):
            whole = torch.tensor(prompt + reply)
            ids[place, : len(whole)], mask[place, : len(whole)] = whole, 1
            labels[place, len(prompt) : len(whole)] = whole[len(prompt) :]
        loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Policy("small", model.eval(), tokenizer)
