"""A CorVer run whose judge errs: the small world of experiments/ablation with gold lists that are too short.

In: prepared worlds (`experiments/ablation/small.py`), a folder for the work. Out: one JSON file an arm and seed; one
whose file is there is skipped, so the same command goes on after a kill, and two may run at once.

    python experiments/noise/corver_run.py --worlds runs/ablation/small --output runs/corver-noise
    python experiments/noise/corver_run.py --output runs/corver-noise --collect experiments/noise/results/corver.jsonl
    python experiments/noise/corver_table.py experiments/noise/results/corver.jsonl

All arms have the whole reward, sentences on their own tokens included, and the set-up of the ablation. They differ in
the judge and in what is done about it. Every arm of a seed starts from the same policy and asks the same questions:
those that this policy answers right at times and wrong at times, by the true judge.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

# corver_forms comes first: it finds experiments/ablation.
from corver_forms import fit_forms, full_list, judged, short_list  # isort: skip
from arms import SETUP, Arm
from pretrain import chat
from small import claimed
from transformers import set_seed
from trial import StepLog, answer, evaluate, load, make_trainer, timed
from world import Question, World, make_world

from corver.credit.appeals import AppealCase, AppealDecision
from corver.index import Index
from corver.reward.build import build_scorer
from corver.reward.scorer import CooccurrenceReward
from corver.runs import write_text
from corver.text.rollout import parse_rollout
from corver.train.appeals import StringAppeals

SAMPLES = 8
BUDGET = 12
LOGGED = ("corver/appeals_made", "corver/appeals_flipped", "corver/noise_false_negative",
          "corver/noise_false_negative_low", "corver/noise_false_negative_high", "corver/noise_scale",
          "corver/verifier_accepted", "corver/sentence_reward", "grad_norm")  # fmt: skip


def _arm(name: str, about: str, *, correction: str = "off", q: float = 0.0) -> Arm:
    """values: what the judge pays a rejected and an accepted answer. Corrections refuse a z-score."""
    credit: dict[str, Any] = {"noise": {"correction": correction, "values": [-1.0, 2.0]}}
    if correction != "off":
        credit["advantage"] = {"scale": "none"}
    if q:
        credit["appeals"] = {"q": q, "budget": BUDGET}
    return Arm(name, "main", about, credit=credit)


ARMS = (
    _arm("oracle", "judge with the full lists"),
    _arm("string", "judge with the short lists"),
    _arm("appeals_1", "and appeals, q = .1", q=0.1),
    _arm("appeals_3", "and appeals, q = .3", q=0.3),
    _arm("forward_1", "appeals, q = .1, and forward", correction="forward", q=0.1),
    _arm("forward_3", "appeals, q = .3, and forward", correction="forward", q=0.3),
    _arm("control_3", "appeals, q = .3, and none: control of forward", correction="none", q=0.3),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=Path, help="folder of world-1, world-2 …, each with an index and a model")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--arms", nargs="+", choices=[arm.name for arm in ARMS], help="all unless given")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no trial after so many seconds")
    parser.add_argument("--collect", type=Path, help="write all finished trials into this file and train nothing")
    options = parser.parse_args()
    if options.collect:
        known = (trial_file(options.output, arm, seed) for arm in ARMS for seed in options.seeds)
        files = [file for file in known if file.exists()]
        rows = (_slim(json.loads(file.read_text())) for file in files)
        write_text(options.collect, "".join(json.dumps(row) + "\n" for row in rows))
        print(f"{len(files)} trials")
        return
    if options.worlds is None:
        parser.error("--worlds is needed to train")
    torch.set_num_threads(1)
    began = time.monotonic()
    for seed in options.seeds:
        for arm in (arm for arm in ARMS if not options.arms or arm.name in options.arms):
            if time.monotonic() - began < options.seconds:
                run_one(options.worlds / f"world-{seed}", options.output, arm, seed)


def _slim(trial: dict[str, Any]) -> dict[str, Any]:
    """Without the examples of answers and the tallies by popularity."""
    for part in (trial, trial["raw"]):
        told = part["evaluation"]
        part["evaluation"] = {
            kind: {name: one for name, one in told[kind].items() if "/" not in name} for kind in ("greedy", "sampled")
        }
    return trial


def trial_file(output: Path, arm: Arm, seed: int) -> Path:
    """The result of an arm on a seed; its name holds all that it was made with."""
    return output / "trials" / f"{arm.name}-{seed}-{arm.fingerprint()}.json"


def run_one(source: Path, output: Path, arm: Arm, seed: int) -> None:
    """The trial of an arm on a seed, unless it is done or in another process's hands."""
    file = trial_file(output, arm, seed)
    with claimed(file.with_suffix(".lock")) as mine:
        if not mine or file.exists():
            return
        world = make_world(seed)
        with claimed(output / f"world-{seed}" / ".lock", wait=True):
            ready = prepare(world, source, output / f"world-{seed}")
        result = run_trial(world, source / "index", output, ready, arm)
        head = {"arm": arm.name, "about": arm.about, "seed": seed, "setup": asdict(SETUP)}
        write_text(file, json.dumps({**head, "raw": ready.raw, **result}) + "\n")
        print(f"{arm.name} {seed}: {result['cpu_seconds']} s of CPU", flush=True)


@dataclass(frozen=True, slots=True)
class Prepared:
    """model: folder. zone: ids of the questions to train on. raw: what judges make of the raw policy's answers."""

    model: Path
    zone: list[str]
    raw: dict[str, Any]


def prepare(world: World, source: Path, folder: Path) -> Prepared:
    """Make the policy that says both forms, and measure the judges on SAMPLES answers to each question of `train`."""
    model, table = folder / "model", folder / "raw.json"
    if not model.exists():
        policy = load(source / "model")
        fit_forms(policy.model, policy.tokenizer, world)
        part = folder / ".model.part"
        policy.model.save_pretrained(part)
        policy.tokenizer.save_pretrained(part)
        part.rename(model)
    if not table.exists():
        write_text(table, json.dumps(_measured(world, model)) + "\n")
    told = json.loads(table.read_text())
    return Prepared(model, told.pop("zone"), told)


def _measured(world: World, model: Path) -> dict[str, Any]:
    policy = load(model)
    set_seed(world.seed)
    train = [question for question in world.questions if question.split == "train"]
    asked = [question for question in train for _ in range(SAMPLES)]
    rows = answer(policy, asked, rule=True, setup=SETUP, temperature=SETUP.temperature)
    said = [_answer_of(text) for text, _, _ in rows]
    per = [judged(world, asked[k : k + SAMPLES], said[k : k + SAMPLES]) for k in range(0, len(asked), SAMPLES)]
    zone = [question.id for question, counts in zip(train, per, strict=True) if 0 < counts["right"] < SAMPLES]
    whole = evaluate(policy, world, rule=True, setup=SETUP)
    return {"zone": zone, "questions": len(zone), "judges": judged(world, asked, said), "evaluation": whole}


def _answer_of(text: str) -> str:
    span = parse_rollout(text).answer
    return "" if span is None else span.of(text).strip()


class FullListAppeals:
    """A string judge that knows the full lists; it never errs here, so that what appeals can do at best is seen."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._full = {question.text: tuple(full_list(question)) for question in questions}
        self._judge = StringAppeals(rule="words")

    def decide(self, cases: Sequence[AppealCase]) -> list[AppealDecision]:
        return self._judge.decide([replace(case, answers=self._full[case.question]) for case in cases])


def run_trial(world: World, index: Path, output: Path, ready: Prepared, arm: Arm) -> dict[str, Any]:
    """Train an arm and evaluate it. Of every step: the answers that were right, and those the short lists accept."""
    policy = load(ready.model)
    set_seed(world.seed)
    log = StepLog(LOGGED)
    curve: list[dict[str, int]] = []
    wanted = set(ready.zone)
    questions = [question for question in world.questions if question.id in wanted]
    by_text = {question.text: question for question in questions}

    def record(step: int, rollouts: Any, scores: Any, responses: Any) -> None:
        asked = [by_text[rollout.question] for rollout in rollouts]
        curve.append(judged(world, asked, [_answer_of(rollout.completion) for rollout in rollouts]))

    rows = [
        {"prompt": chat(question.text, rule=True), "question": question.text,
         "answers": full_list(question) if arm.name == "oracle" else short_list(world, question)}
        for question in questions
    ]  # fmt: skip
    judge = FullListAppeals(questions) if arm.credit_config().appeals else None
    with Index.open(index) as opened:
        reward = CooccurrenceReward(build_scorer(arm.reward_config(), index=opened))
        trainer = make_trainer(
            policy, rows, arm, reward, log, record, seed=world.seed, setup=SETUP, scratch=output / "scratch",
            appeal_judge=judge,
        )  # fmt: skip
        took = timed(trainer)
    return {
        **took,
        "curve": [{**row, **counts} for row, counts in zip(log.rows, curve, strict=True)],
        "evaluation": evaluate(policy, world, rule=True, setup=SETUP),
    }


if __name__ == "__main__":
    main()
