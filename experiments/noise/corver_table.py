"""Table of `corver_run.py`'s results.

    python experiments/noise/corver_table.py experiments/noise/results/corver.jsonl

Right: by the true judge, greedy; `held out` are facts and people not trained on. Precision and claims: of sentences in
sampled answers to held-out questions, against the truth; claims a completion. ρ1: share of the right answers that the
short list refuses, in the last ten steps' rollouts. Differences are taken within seeds; intervals are 95 % by Student's
t over seeds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from table import interval

from corver.runs import read_jsonl

sys.path.insert(0, str(Path(__file__).parents[1] / "ablation"))
from measure import Tally, rate

ORDER = ("oracle", "string", "appeals_1", "appeals_3", "forward_1", "forward_3", "control_3")
LAST = 10
HELD = ("heldout_fact", "heldout_person")
SHORT = "words, short list"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    options = parser.parse_args()
    runs: dict[str, dict[int, dict[str, Any]]] = {}
    for row in read_jsonl(options.results):
        runs.setdefault(row["arm"], {})[row["seed"]] = row
    _print_judges({seed: row["raw"]["judges"] for arm in runs.values() for seed, row in arm.items()})
    _print_arms(runs)
    _print_differences(runs)


def _print_judges(counts: Mapping[int, Mapping[str, int]]) -> None:
    """ρ0 and ρ1 of each judge on the raw policy's answers, all seeds together and each."""
    names = [name.rpartition(":")[0] for name in next(iter(counts.values())) if name.endswith(": refused")]
    rows = [f"seed {seed} {told['right']} of {told['answers']} right" for seed, told in sorted(counts.items())]
    print("raw answers, by the true judge: " + ", ".join(rows))
    for name in names:
        missed = [told[f"{name}: refused"] / told["right"] for _, told in sorted(counts.items())]
        taken = [told[f"{name}: accepted"] / (told["answers"] - told["right"]) for _, told in sorted(counts.items())]
        print(f"  {name:20} ρ1 {_listed(missed)}   ρ0 {_listed(taken)}")


def _print_arms(runs: Mapping[str, Mapping[int, Any]]) -> None:
    raw = {seed: {"evaluation": row["raw"]["evaluation"]} for arm in runs.values() for seed, row in arm.items()}
    print(f"\n{'arm':44} {'runs':>4} " + " ".join(f"{name:>15}" for name in MEASURES) + f" {'heard':>6} {'ρ1 est.':>8}")
    for name in ("raw", *(name for name in ORDER if name in runs)):
        arm = raw if name == "raw" else runs[name]
        about = "before training" if name == "raw" else f"{name}: {next(iter(arm.values()))['about']}"
        cells = [_shown([measure(row) for row in arm.values()]) if name != "raw" or "curve" not in need else ""
                 for measure, need in MEASURES.values()]  # fmt: skip
        print(f"{about:44} {len(arm):>4} " + " ".join(f"{cell:>15}" for cell in cells) + _appeals(arm))


def _print_differences(runs: Mapping[str, Mapping[int, Any]]) -> None:
    shown = ("held out", "trained", "precision", "claims", "rollouts")
    print(f"\n{'arm − string, within seeds':44} {'runs':>4} " + " ".join(f"{name:>15}" for name in shown))
    for name in (name for name in ORDER if name in runs and name != "string"):
        seeds = sorted(set(runs[name]) & set(runs["string"]))
        cells = [_shown([MEASURES[m][0](runs[name][seed]) - MEASURES[m][0](runs["string"][seed]) for seed in seeds])
                 for m in shown]  # fmt: skip
        print(f"{name:44} {len(seeds):>4} " + " ".join(f"{cell:>15}" for cell in cells))
    if {"forward_3", "control_3"} <= set(runs):
        seeds = sorted(set(runs["forward_3"]) & set(runs["control_3"]))
        cells = [_shown([MEASURES[m][0](runs["forward_3"][s]) - MEASURES[m][0](runs["control_3"][s]) for s in seeds])
                 for m in shown]  # fmt: skip
        print(f"{'forward_3 − control_3':44} {len(seeds):>4} " + " ".join(f"{cell:>15}" for cell in cells))


def _of(kind: str, sets: Sequence[str], name: str) -> Callable[[Mapping[str, Any]], float]:
    def value(row: Mapping[str, Any]) -> float:
        parts = [Tally(**row["evaluation"][kind][one]) for one in sets]
        return rate(sum(parts, Tally()).to_json(), name)

    return value


def _last(above: str, below: str) -> Callable[[Mapping[str, Any]], float]:
    def value(row: Mapping[str, Any]) -> float:
        steps = row["curve"][-LAST:]
        return float(sum(step[above] for step in steps) / sum(step[below] for step in steps))

    return value


MEASURES: Mapping[str, tuple[Callable[[Mapping[str, Any]], float], str]] = {
    "held out": (_of("greedy", HELD, "accuracy"), "evaluation"),
    "trained": (_of("greedy", ["train"], "accuracy"), "evaluation"),
    "precision": (_of("sampled", HELD, "precision"), "evaluation"),
    "claims": (_of("sampled", HELD, "claims"), "evaluation"),
    "rollouts": (_last("right", "answers"), "curve"),
    "ρ1 at the end": (_last(f"{SHORT}: refused", "right"), "curve"),
}
"""Name to (measure of a run, which part of the run it reads). rollouts: right ones among those of the last steps."""


def _appeals(arm: Mapping[int, Any]) -> str:
    """Share of completions that were appealed, and the estimated ρ1 of the last steps."""
    rows = [row for run in arm.values() for row in run.get("curve", []) if "corver/appeals_made" in row]
    if not rows:
        return ""
    heard = sum(row["corver/appeals_made"] for row in rows) / sum(row["answers"] for row in rows)
    last = [row["corver/noise_false_negative"] for run in arm.values() for row in run["curve"][-LAST:]]
    return f" {heard:>6.0%} {sum(last) / len(last):>8.2f}"


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def _shown(values: Sequence[float]) -> str:
    mean, half = interval(list(values))
    return f"{mean:.3f} ± {half:.3f}"


if __name__ == "__main__":
    main()
