"""Learning from a verifier that errs: the experiment of docs/noise.md.

    python experiments/noise/run.py --output runs/noise             all of it; goes on where it was stopped
    python experiments/noise/run.py --output runs/noise --only rates --seeds 2 --minutes 2

One JSON line a run (an arm with a seed) goes to OUTPUT/runs.jsonl; `table.py` reads them. Two cores: start it twice,
with `--shard 0/2` and `--shard 1/2`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch
from arms import arms
from learn import Arm, Settings, run
from policy import Weights, evaluate, fit, stack
from safetensors.torch import load_file, save_file
from task import Problems, make_problems

from corver.runs import append_jsonl, read_jsonl


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--only", nargs="*", help="groups of arms")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--fit-steps", type=int, default=1300, help="supervised steps of the policies to begin with")
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--side-by-side", type=int, default=10, help="runs computed together")
    parser.add_argument("--minutes", type=float, help="stop after what is under way then")
    parser.add_argument("--shard", default="0/1", help="k/n: every n-th stack, from the k-th")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.output.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * (options.minutes or 1e9)
    part, parts = (int(number) for number in options.shard.split("/"))
    train, held_out = make_problems()
    for seed in range(options.seeds):
        if seed % parts == part or parts == 1:
            fit_base(options.output, train, held_out, seed=seed, steps=options.fit_steps)
            if time.monotonic() > end:
                return
    settings = Settings(steps=options.steps)
    for stack_number, jobs in enumerate(stacks(options, part, parts)):
        if time.monotonic() > end:
            break
        started = time.perf_counter()
        bases = [fit_base(options.output, train, held_out, seed=seed, steps=options.fit_steps) for _, _, seed in jobs]
        results = run(
            [arm for _, arm, _ in jobs], stack(bases), train, held_out, seeds=[s for *_, s in jobs], settings=settings
        )
        seconds = round((time.perf_counter() - started) / len(jobs), 1)
        rows = [
            {"group": group, "arm": asdict(arm), "seed": seed, "seconds": seconds, **result}
            for (group, arm, seed), result in zip(jobs, results, strict=True)
        ]
        append_jsonl(options.output / (f"runs-{part}.jsonl" if parts > 1 else "runs.jsonl"), rows)
        print(
            f"stack {stack_number + 1}: {jobs[0][0]}, {jobs[0][1].name} …, {seconds} s a run",
            file=sys.stderr,
            flush=True,
        )


def stacks(options: argparse.Namespace, part: int, parts: int) -> list[list[tuple[str, Arm, int]]]:
    """What is left to do, in stacks of runs; every process of a sharded experiment finds the same ones."""
    done = {
        (row["arm"]["name"], row["seed"]) for path in options.output.glob("runs*.jsonl") for row in read_jsonl(path)
    }
    wanted = [
        (group, arm, seed)
        for group, members in arms().items()
        if not options.only or group in options.only
        for arm in members
        for seed in range(options.seeds)
    ]
    size = options.side_by_side
    pieces = [wanted[start : start + size] for start in range(0, len(wanted), size)]
    left = [[job for job in piece if (job[1].name, job[2]) not in done] for piece in pieces[part::parts]]
    return [piece for piece in left if piece]


def fit_base(output: Path, train: Problems, held_out: Problems, *, seed: int, steps: int) -> Weights:
    """The policy that all arms of a seed begin with, fitted once."""
    path = output / f"base-{seed}-{steps}.safetensors"
    if not path.exists():
        fitted = fit(train, seeds=[seed], steps=steps)
        part = path.with_suffix(f".{os.getpid()}.part")
        save_file({name: value[0].contiguous() for name, value in fitted.items()}, part)
        part.rename(path)
        print(json.dumps({"base": seed, **evaluate(fitted, held_out)[0]}), file=sys.stderr, flush=True)
    return load_file(path)


if __name__ == "__main__":
    main()
