"""A tiny policy that knows a world as people tell it: tokenizer, model, pretraining.

In: a world. Out: a model folder that any transformers program can load. A Llama of a few hundred thousand weights is
fitted to biographies and chats, people in proportion to a flattened popularity. This module knows no reward.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from replies import biography, instruction, reply
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from world import World

__all__ = ["chat", "make_model", "make_tokenizer", "pretrain"]

END = "<|end|>"
ROLES = ("<|system|>", "<|user|>", "<|assistant|>")
TAGS = ("<think>", "</think>", "<answer>", "</answer>")
TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
VOCABULARY = 1000
WIDTH, LAYERS = 128, 2
STEPS, BATCH, PEAK = 320, 96, 4e-3
RENOWN = 0.4
"""A person is told of in proportion to (rank + 1) ** -RENOWN."""


def chat(question: str, *, rule: bool) -> list[dict[str, str]]:
    """The messages that ask a question."""
    return [{"role": "system", "content": instruction(rule=rule)}, {"role": "user", "content": question}]


def pretrain(world: World, folder: Path, *, steps: int = STEPS, log: Any = None) -> None:
    """Make tokenizer and model of a world and write them to `folder`."""
    torch.manual_seed(world.seed)
    rng = random.Random(f"pretraining {world.seed}")
    tokenizer = make_tokenizer([text for _, text in zip(range(4000), _texts(world, rng), strict=False)])
    model = make_model(tokenizer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK, weight_decay=0.01, betas=(0.9, 0.98), fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK, total_steps=steps, pct_start=0.1)
    stream = _batches(world, rng, tokenizer)
    for step in range(steps):
        ids, labels = _padded(next(stream), tokenizer.pad_token_id)
        loss = _loss(model, ids, labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if log and step % 100 == 99:
            log(step + 1, float(loss.detach()))
    part = folder.with_name(f".{folder.name}.part")
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    part.rename(folder)


def make_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Byte-level BPE in which tags are one token each; the end token is the padding too."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END, *ROLES],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([AddedToken(tag, normalized=False) for tag in TAGS])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=END,
        chat_template=TEMPLATE,
        padding_side="left",
        extra_special_tokens=list(ROLES),
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """An unfitted Llama for the tokenizer."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            intermediate_size=2 * WIDTH,
            num_hidden_layers=LAYERS,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=256,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
        )
    )


def _texts(world: World, rng: random.Random) -> Any:
    while True:
        question = rng.choice(world.questions)
        yield instruction(rule=True) + " " + question.text + " " + reply(world, question, rng, rule=True)


def _batches(world: World, rng: random.Random, tokenizer: Any) -> Any:
    """Endless batches of (ids, labels) of about equal length; chats and biographies half and half."""
    weights = [(person.rank + 1) ** -RENOWN for person in world.people]
    of_person = {place: [q for q in world.questions if q.person == place] for place in range(len(world.people))}
    while True:
        prompts, replies = [], []
        for place in rng.choices(range(len(weights)), weights, k=16 * BATCH):
            if rng.random() < 0.5:
                rule, question = rng.random() < 0.5, rng.choice(of_person[place])
                prompts.append(tokenizer.apply_chat_template(
                    chat(question.text, rule=rule), tokenize=False, add_generation_prompt=True))  # fmt: skip
                replies.append(reply(world, question, rng, rule=rule) + END)
            else:
                prompts.append("")
                replies.append(biography(world, place, rng) + END)
        encoded = (tokenizer(texts, add_special_tokens=False)["input_ids"] for texts in (prompts, replies))
        rows = [(ask + answer, [-100] * len(ask) + answer) for ask, answer in zip(*encoded, strict=True)]
        rows.sort(key=lambda row: len(row[0]))
        starts = list(range(0, len(rows), BATCH))
        rng.shuffle(starts)
        yield from (rows[start : start + BATCH] for start in starts)


def _loss(model: Any, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy; the vocabulary is computed at labelled positions alone."""
    hidden = model.model(input_ids=ids).last_hidden_state[:, :-1]
    wanted = labels[:, 1:]
    known = wanted != -100
    return torch.nn.functional.cross_entropy(model.lm_head(hidden[known]), wanted[known])


def _padded(rows: Sequence[tuple[list[int], list[int]]], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(len(ids) for ids, _ in rows)
    ids = [row + [pad] * (width - len(row)) for row, _ in rows]
    labels = [row + [-100] * (width - len(row)) for _, row in rows]
    return torch.tensor(ids), torch.tensor(labels)
