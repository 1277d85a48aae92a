"""A world made ready: its index, its pretrained policy, the learning zone and what the raw policy is worth.

In: a world and a folder. Out: files in the folder, each made once; the zone. This module trains no arm.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import torch
from arms import Setup
from pretrain import pretrain
from transformers import set_seed
from trial import answer, evaluate, load
from world import World

from corver.corpus.opening import open_corpus
from corver.index import build_index
from corver.reward.judge import judge
from corver.runs import write_text

__all__ = ["prepare"]


def prepare(world: World, folder: Path, *, setup: Setup) -> dict[str, int]:
    """Make what is missing; return how many samples of each training question were right."""
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "index").exists():
        _index(world, folder)
    if not (folder / "model").exists():
        pretrain(world, folder / "model")
    zone, raw = folder / f"zone-{setup.zone_samples}.json", folder / "raw.json"
    if not zone.exists():
        write_text(zone, json.dumps(_zone(world, folder, setup)) + "\n")
    if not raw.exists():
        policy = load(folder / "model")
        table = {"rule": evaluate(policy, world, rule=True, setup=setup),
                 "no_rule": evaluate(policy, world, rule=False, setup=setup)}  # fmt: skip
        write_text(raw, json.dumps(table) + "\n")
    counts: dict[str, int] = json.loads(zone.read_text())
    return counts


def _index(world: World, folder: Path) -> None:
    corpus, part = folder / "corpus.jsonl", folder / ".index.part"
    rows = ({"id": title, "title": title, "text": text} for title, text in world.documents())
    write_text(corpus, "".join(json.dumps(row) + "\n" for row in rows))
    shutil.rmtree(part, ignore_errors=True)
    source = open_corpus([str(corpus)])
    build_index(source.shards(), part, sources=source.sources())
    part.rename(folder / "index")


def _zone(world: World, folder: Path, setup: Setup) -> dict[str, int]:
    policy = load(folder / "model")
    set_seed(world.seed)
    asked = [q for q in world.questions if q.split == "train" for _ in range(setup.zone_samples)]
    right: dict[str, int] = {}
    rows = answer(policy, asked, rule=True, setup=setup, temperature=setup.temperature)
    for question, (text, _, _) in zip(asked, rows, strict=True):
        verdict = judge(text, [question.answer], rule="words")
        right[question.id] = right.get(question.id, 0) + (verdict is not None and verdict.label == "correct")
    return right
