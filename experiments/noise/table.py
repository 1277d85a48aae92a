"""Tables and plots of `run.py`'s results.

    python experiments/noise/table.py runs/noise                    tables
    python experiments/noise/table.py runs/noise --plots DIR        and SVG curves

Outcome of a run: Pass@1 and Pass@8 on held-out problems, mean of the last three evaluations. Differences are taken
within seeds, which share the policy to begin with, the problems and the draws; intervals are 95 % by Student's t over
seeds. "gap recovered": (arm − noisy)/(oracle − noisy) of the means, noisy and oracle being z-scored (GRPO's own), with
a bootstrap interval over seeds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from learn import Settings
from scipy.stats import t

from corver.runs import read_jsonl

LAST = 3
ORACLE, PLAIN = "oracle, z-score", "noisy, z-score (0.1, 0.2)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--plots", type=Path)
    options = parser.parse_args()
    runs: dict[str, dict[int, dict[str, Any]]] = {}
    groups: dict[str, str] = {}
    for path in sorted(options.output.glob("runs*.jsonl")):
        for row in read_jsonl(path):
            runs.setdefault(row["arm"]["name"], {})[row["seed"]] = row
            groups[row["arm"]["name"]] = row["group"]
    start = {seed: row["curve"][0] for seed, row in sorted(runs[ORACLE].items())}
    print("to begin with: " + ", ".join(f"seed {seed} {row['pass@1']:.3f}" for seed, row in start.items()))
    for group in dict.fromkeys(groups.values()):
        print(f"\n{group}")
        print(
            f"{'arm':52} {'runs':>4} {'Pass@1':>16} {'Pass@8':>16} {'− oracle':>17} {'gap recovered':>20} {'heard':>6}"
        )
        for name in sorted((n for n in runs if groups[n] == group), key=lambda n: _order(n)):
            print(_line(name, runs))
    if options.plots:
        from plots import draw

        draw(runs, options.plots)


def _order(name: str) -> tuple[str, str]:
    return (name[name.find("(") :] if "(" in name else name.rpartition(", ")[2], name)


def _line(name: str, runs: dict[str, dict[int, dict[str, Any]]]) -> str:
    arm = runs[name]
    ones = {seed: outcome(row) for seed, row in arm.items()}
    eights = {seed: outcome(row, "pass@8") for seed, row in arm.items()}
    oracle = {seed: outcome(row) for seed, row in runs[ORACLE].items()}
    shared = sorted(set(ones) & set(oracle))
    difference = interval([ones[seed] - oracle[seed] for seed in shared])
    recovered = gap(arm, runs.get(_plain_of(name, runs), {}), runs[ORACLE])
    return (
        f"{name:52} {len(arm):>4} {_shown(interval(list(ones.values()))):>16} "
        f"{_shown(interval(list(eights.values()))):>16} {_shown(difference):>17} {recovered:>20} {heard(arm):>6}"
    )


def _plain_of(name: str, runs: dict[str, Any]) -> str:
    """The z-scored noisy arm that an arm is to be compared with."""
    for rates in ("(0.1, 0.2)", "(0.2, 0.3)", "(0.3, 0.4)"):
        if name.endswith(rates) and "believing" not in name:
            return f"noisy, z-score {rates}"
    for kind in ("words suffer", "digits suffer"):
        if name.endswith(kind):
            return f"noisy, z-score, {kind}"
    return PLAIN


def heard(arm: dict[int, Any]) -> str:
    """The share of all sampled completions that were appealed."""
    settings = Settings()
    sampled = settings.prompts * settings.generations
    share = np.mean([row["appeals"] / (row["curve"][-1]["step"] * sampled) for row in arm.values()])
    return f"{share:.0%}" if share else ""


def outcome(row: dict[str, Any], name: str = "pass@1") -> float:
    return float(np.mean([point[name] for point in row["curve"][-LAST:]]))


def interval(values: list[float]) -> tuple[float, float]:
    """Mean and half width of its 95 % interval."""
    if len(values) < 2:
        return (float(np.mean(values)) if values else float("nan")), float("nan")
    half = float(t.ppf(0.975, len(values) - 1)) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return float(np.mean(values)), half


def gap(arm: dict[int, Any], plain: dict[int, Any], oracle: dict[int, Any], draws: int = 4000) -> str:
    """Share of the oracle-to-noisy gap, with a bootstrap interval over the seeds that all three have."""
    seeds = sorted(set(arm) & set(plain) & set(oracle))
    if len(seeds) < 2 or arm is plain or arm is oracle:
        return ""
    table = np.array([[outcome(which[seed]) for seed in seeds] for which in (arm, plain, oracle)])
    pick = np.random.default_rng(0).integers(0, len(seeds), (draws, len(seeds)))
    ours, noisy, best = table[:, pick].mean(axis=2)
    shares = (ours - noisy) / np.where(np.abs(best - noisy) < 1e-9, np.nan, best - noisy)
    low, high = np.nanpercentile(shares, [2.5, 97.5])
    whole = table.mean(axis=1)
    return f"{(whole[0] - whole[1]) / (whole[2] - whole[1]):+.0%} [{low:+.0%}, {high:+.0%}]"


def _shown(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.3f} ± {pair[1]:.3f}"


if __name__ == "__main__":
    main()
