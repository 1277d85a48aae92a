"""A world made ready: its index, its pretrained policy, the learning zone and what the raw policy is worth.

In: a world and a folder. Out: files in the folder, each made once; the zone. This module trains no arm.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from arms import Setup
from pretrain import pretrain
from transformers import set_seed
from trial import answer, evaluate, load
from world import World

from corver.config import RewardConfig
from corver.corpus.opening import open_corpus
from corver.index import Index, build_index
from corver.reward.build import build_scorer
from corver.reward.judge import judge
from corver.reward.neutral import measure_neutral
from corver.runs import write_text
from corver.types import Rollout

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """zone: how many samples of each training question were right. neutral: Z of profile support, where asked for."""

    zone: Mapping[str, int]
    neutral: float | None


def prepare(world: World, folder: Path, *, setup: Setup, profile: bool) -> Prepared:
    """Make what is missing. profile: measure Z on the raw policy too."""
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
    neutral = folder / "neutral.json"
    if profile and not neutral.exists():
        write_text(neutral, json.dumps(_neutral(world, folder, setup)) + "\n")
    return Prepared(json.loads(zone.read_text()), json.loads(neutral.read_text()) if profile else None)


def _index(world: World, folder: Path) -> None:
    corpus, part = folder / "corpus.jsonl", folder / ".index.part"
    rows = ({"id": title, "title": title, "text": text} for title, text in world.documents())
    write_text(corpus, "".join(json.dumps(row) + "\n" for row in rows))
    shutil.rmtree(part, ignore_errors=True)
    source = open_corpus([str(corpus)])
    build_index(source.shards(), part, sources=source.sources())
    part.rename(folder / "index")


def _neutral(world: World, folder: Path, setup: Setup) -> float:
    """The median unit score of one sampled answer to each training question."""
    policy = load(folder / "model")
    set_seed(world.seed)
    asked = [q for q in world.questions if q.split == "train"]
    rows = answer(policy, asked, rule=True, setup=setup, temperature=setup.temperature)
    rollouts = [Rollout(text, question=q.text) for q, (text, _, _) in zip(asked, rows, strict=True)]
    with Index.open(folder / "index") as index:
        scorer = build_scorer(RewardConfig(support="profile"), index=index)
        return measure_neutral(scorer.score_rollouts(rollouts), seed=world.seed).value


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
