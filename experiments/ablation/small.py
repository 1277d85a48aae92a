"""The small world: prepare worlds, train every arm on every seed, and collect what came of it.

In: a folder for the work, arms, seeds. Out: one JSON file a trial; a trial whose file is there is skipped, so the same
command goes on after a kill, and several may run at once. `--collect` writes all results into one small file.

    python experiments/ablation/small.py --output runs/ablation/small
    python experiments/ablation/small.py --output runs/ablation/small --collect experiments/ablation/results/small.json

Seed s makes the world, the pretrained policy and the training of every arm on it, so that arms are compared in pairs
and the spread over seeds is one over worlds. Seed 0 is for choosing constants and is never collected.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from arms import ARMS, SETUP, Arm, Setup, arms_of
from world import Question, World, make_world

from corver.runs import write_text

__all__ = ["main"]

CURVES = (
    "completions/mean_length", "completions", "claiming", "true", "facts", "facts_true", "correct", "repeated",
    "rewards/judge/mean", "corver/sentence_reward",
)  # fmt: skip
"""What is kept of every step when results are collected."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="folder of worlds and trials")
    parser.add_argument("--arms", nargs="+", choices=sorted(ARMS), help="all unless given")
    parser.add_argument("--seeds", nargs="+", type=int, help="each arm's own number of seeds unless given")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no trial after so many seconds")
    parser.add_argument("--collect", type=Path, help="write all finished trials into this file and train nothing")
    for name, value in asdict(SETUP).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value, help="of the set-up")
    options = parser.parse_args()
    if options.collect:
        collect(options.output, options.collect)
        return
    setup = Setup(**{name: getattr(options, name) for name in asdict(SETUP)})
    began = time.monotonic()
    left = 0
    for arm, seed in jobs(arms_of(options.arms), options.seeds):
        if time.monotonic() - began > options.seconds:
            left += not trial_file(options.output, arm, seed, setup).exists()
            continue
        run_one(options.output, arm, seed, setup)
    if left:
        print(f"{left} trials left")


def jobs(arms: Sequence[Arm], seeds: Sequence[int] | None) -> Iterator[tuple[Arm, int]]:
    """Arms group by group, within a group seed by seed, so that an early stop leaves whole pairs."""
    for group in dict.fromkeys(arm.group for arm in arms):
        here = [arm for arm in arms if arm.group == group]
        wanted = seeds if seeds is not None else range(1, max(arm.seeds for arm in here) + 1)
        for seed in wanted:
            yield from ((arm, seed) for arm in here if seeds is not None or seed <= arm.seeds)


def trial_file(output: Path, arm: Arm, seed: int, setup: Setup) -> Path:
    """The result of an arm on a seed; its name holds all that it was made with."""
    return output / "trials" / f"{arm.name}-{seed}-{arm.fingerprint(setup)}.json"


def run_one(output: Path, arm: Arm, seed: int, setup: Setup) -> None:
    """Prepare the world and run the trial, unless it is done or in another process's hands."""
    file = trial_file(output, arm, seed, setup)
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists():
        return
    with claimed(file.with_suffix(".lock")) as mine:
        if not mine or file.exists():
            return
        from prepare import prepare
        from trial import run_trial

        world, folder = make_world(seed), output / f"world-{seed}"
        with claimed(folder / ".lock", wait=True):
            ready = prepare(world, folder, setup=setup, profile=arm.reward.get("support") == "profile")
        questions = training_questions(world, ready.zone, arm, setup)
        result = run_trial(
            world, folder, questions, arm, seed=seed, setup=setup, scratch=output / "scratch", neutral=ready.neutral
        )
        head = {"arm": arm.name, "seed": seed, "fingerprint": arm.fingerprint(setup), "setup": asdict(setup)}
        write_text(file, json.dumps({**head, **result}) + "\n")
        print(f"{arm.name} {seed}: {result['cpu_seconds']} s of CPU", flush=True)


def training_questions(world: World, zone: Mapping[str, int], arm: Arm, setup: Setup) -> list[Question]:
    """Questions of the split train; with the zone those answered right at least once and wrong at least once."""
    train = [question for question in world.questions if question.split == "train"]
    return [question for question in train if not arm.zone or 0 < zone[question.id] < setup.zone_samples]


def collect(output: Path, target: Path) -> None:
    """One file of all trials of the present set-up but those of seed 0, and of the raw policies."""
    trials = [
        _slim(json.loads(file.read_text()))
        for arm, seed in jobs(arms_of(), None)
        if (file := trial_file(output, arm, seed, SETUP)).exists()
    ]
    seeds = sorted({trial["seed"] for trial in trials})
    raw = {seed: json.loads((output / f"world-{seed}" / "raw.json").read_text()) for seed in seeds}
    for one in raw.values():
        one["rule"], one["no_rule"] = _no_examples(one["rule"]), _no_examples(one["no_rule"])
    target.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"setup": asdict(SETUP), "raw": raw}, *trials]
    write_text(target, "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    print(f"{len(trials)} trials of {len(seeds)} seeds")


def _slim(trial: dict[str, Any]) -> dict[str, Any]:
    curve = trial["curve"]
    kept = {name: [row.get(name) for row in curve] for name in CURVES}
    return {**trial, "setup": None, "curve": kept, "evaluation": _no_examples(trial["evaluation"])}


def _no_examples(evaluation: dict[str, Any]) -> dict[str, Any]:
    return {name: evaluation[name] for name in ("greedy", "sampled")}


@contextmanager
def claimed(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Whether this process has the file's lock; it dies with the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


if __name__ == "__main__":
    main()
