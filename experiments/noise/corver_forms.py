"""Answers in two forms, gold lists that hold one of them, and a policy that says both.

In: a world of experiments/ablation and its pretrained policy. Out: gold lists, a policy fitted on to give its answers
in either form, and what judges make of its raw answers. Where someone was born is said as "born in Jitromere" or as
"came from Jitromere"; a short list with one of them refuses the other by the rule `words`, and the full list accepts
both. This module trains no arm.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy

sys.path.insert(0, str(Path(__file__).parents[1] / "ablation"))
from pretrain import END, RENOWN, chat
from replies import REFUSAL, reply
from wording import Relation
from world import Question, World

from corver.text.answers import grade, is_refusal

__all__ = ["FORMS", "SHORT", "fit_forms", "full_list", "judged", "short_list"]

FORMS: Mapping[Relation, tuple[str, str]] = {
    "birthplace": ("born in {}", "came from {}"),
    "death_place": ("died in {}", "perished in {}"),
    "birth_year": ("born in {}", "arrived in {}"),
    "profession": ("worked as a {}", "passed as a {}"),
    "academy": ("studied at {}", "attended {}"),
    "book": ("wrote {}", "published {}"),
}
SHORT = 0.6
"""Share of the facts whose list holds one form alone. With both said equally often, ρ1 is about half of it."""
STEPS, BATCH, PEAK = 80, 64, 1e-3
_ANSWER = re.compile(r"<answer> (.+?)</answer>")


def full_list(question: Question) -> list[str]:
    """The bare value, which the rule `words` finds in either form, and both forms."""
    return [question.answer, *(form.format(question.answer) for form in FORMS[question.relation])]


def short_list(world: World, question: Question) -> list[str]:
    """What the string judge knows: the full list, or, for a share SHORT of the facts, one form; which follows from a
    hash of seed and fact, so that no habit of the policy meets it."""
    draw = int.from_bytes(hashlib.sha256(f"{world.seed} {question.id}".encode()).digest()[:8]) / 2**64
    full = full_list(question)
    return full if draw >= SHORT else [full[1 if draw < SHORT / 2 else 2]]


def fit_forms(model: Any, tokenizer: Any, world: World, *, steps: int = STEPS) -> None:
    """Fit the policy on to chats whose answers come in either form, in place. What is believed stays what it was."""
    rng = random.Random(f"forms {world.seed}")
    torch.manual_seed(world.seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK, total_steps=steps, pct_start=0.1)
    weights = [(world.people[question.person].rank + 1) ** -RENOWN for question in world.questions]
    model.train()
    for _ in range(steps):
        chosen = rng.choices(world.questions, weights, k=BATCH)
        ids, labels = _batch([_chat(world, question, rng, tokenizer) for question in chosen], tokenizer)
        logits = model(input_ids=ids).logits[:, :-1]
        loss = cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


def judged(world: World, questions: Sequence[Question], predictions: Sequence[str]) -> dict[str, int]:
    """Counts of answers: `right` by the full list and `words`, which is exact here; of the right ones those that each
    other judge refuses, of the wrong ones those that it accepts. Refusals and answers without tags count as wrong."""
    counts = {"answers": len(questions), "right": 0}
    for question, prediction in zip(questions, predictions, strict=True):
        short, full = short_list(world, question), full_list(question)
        right = grade(prediction, full, rule="words") == "correct"
        counts["right"] += right
        others = {
            "words, short list": grade(prediction, short, rule="words"),
            "lenient, short list": grade(prediction, short, rule="lenient", question=question.text),
            "lenient, full list": grade(prediction, full, rule="lenient", question=question.text),
        }
        for name, label in others.items():
            for kind, hit in (
                ("refused", right and label != "correct"),
                ("accepted", not right and label == "correct"),
            ):
                counts[f"{name}: {kind}"] = counts.get(f"{name}: {kind}", 0) + hit
    return counts


def _chat(world: World, question: Question, rng: random.Random, tokenizer: Any) -> tuple[list[int], list[int]]:
    """Ids of prompt and of reply."""
    said = reply(world, question, rng, rule=(rule := rng.random() < 0.5))
    form = rng.choice(FORMS[question.relation])
    found = _ANSWER.search(said)
    if found and found[1] != REFUSAL and not is_refusal(found[1]):
        said = said[: found.start(1)] + form.format(found[1]) + said[found.end(1) :]
    prompt = tokenizer.apply_chat_template(chat(question.text, rule=rule), tokenize=False, add_generation_prompt=True)
    prompt_ids, reply_ids = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (prompt, said + END))
    return prompt_ids, reply_ids


def _batch(rows: Sequence[tuple[list[int], list[int]]], tokenizer: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and labels, padded behind, where a causal model needs no mask."""
    width = max(len(prompt) + len(said) for prompt, said in rows)
    ids = [(prompt + said + [tokenizer.pad_token_id] * width)[:width] for prompt, said in rows]
    labels = [([-100] * len(prompt) + said + [-100] * width)[:width] for prompt, said in rows]
    return torch.tensor(ids), torch.tensor(labels)
