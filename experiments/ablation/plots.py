"""Draw the figures of docs/ablation.md from the result files.

    python experiments/ablation/plots.py experiments/ablation/results/small.json --output experiments/ablation/results

In: a file that `small.py --collect` wrote. Out: arms.svg, curves.svg, quartiles.svg. This module computes no estimate.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from arms import ARMS
from estimates import LEAST_SEEDS, Results, mean_of, paired, read_results
from matplotlib.figure import Figure

from corver.report.plots import ACCENT, INK, MUTED, RULE, SETTINGS, encoded, plain_axes
from corver.runs import write_bytes

__all__ = ["main"]

FOREST = (("precision", "sentences true, minus raw"), ("accuracy", "answers right, minus raw"))
CURVES = (("completions/mean_length", "tokens a completion"), ("claiming", "claims a completion"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    results = read_results(options.results)
    options.output.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(SETTINGS):
        for name, draw in (("arms", arms_figure), ("curves", curves_figure), ("quartiles", quartiles_figure)):
            write_bytes(options.output / f"{name}.svg", encoded(draw(results), "svg"))


def arms_figure(results: Results) -> Figure:
    """Difference to the raw policy of every arm, answers sampled: each seed a dot, the mean and its interval."""
    arms = [arm for arm in ARMS if results.seeds(arm)]
    figure = Figure(figsize=(9.0, 0.26 * len(arms) + 1.0), layout="constrained", facecolor="white")
    for axes, (name, title) in zip(figure.subplots(1, 2, sharey=True), FOREST, strict=True):
        plain_axes(axes)
        axes.axvline(0, color=MUTED, linewidth=0.8)
        for place, arm in enumerate(arms):
            raw = "raw" if ARMS[arm].rule else "raw_no_rule"
            after, before = results.rates(arm, name, mode="sampled"), results.rates(raw, name, mode="sampled")
            found = paired(after, before)
            dots = [100 * (after[seed] - before[seed]) for seed in after]
            axes.plot(dots, [place] * len(dots), "o", color=ACCENT, alpha=0.3, markersize=3.5, markeredgewidth=0)
            if found.seeds >= LEAST_SEEDS:
                axes.plot([100 * found.low, 100 * found.high], [place, place], color=ACCENT, linewidth=1.6)
            axes.plot([100 * found.value], [place], "o", color=ACCENT, markersize=5)
        axes.set_yticks(range(len(arms)), arms)
        axes.set_title(f"{title} (points)", loc="left", color=INK, fontsize=9.5)
        axes.grid(axis="x", color=RULE, linewidth=0.8)
    figure.axes[0].invert_yaxis()
    return figure


def curves_figure(results: Results) -> Figure:
    """Length and claims over the steps of training, one small panel an arm; thin lines are seeds."""
    arms = [arm for arm in ARMS if results.seeds(arm)]
    columns = 4
    rows = -(-len(arms) // columns)
    figure = Figure(figsize=(2.5 * columns, 1.5 * rows + 0.4), layout="constrained", facecolor="white")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, arm in zip(grid, arms, strict=False):
        plain_axes(axes)
        other = axes.twinx()
        other.set_ylim(0, 5)
        other.tick_params(colors=MUTED, labelsize=7, length=0)
        other.spines[:].set_visible(False)
        _lines(axes, _curves(results, arm, "completions/mean_length"), INK)
        _lines(other, _curves(results, arm, "claiming"), ACCENT)
        axes.set_ylim(0, 60)
        axes.set_title(arm, loc="left", color=INK, fontsize=8.5)
    for axes in grid[len(arms) :]:
        axes.set_visible(False)
    title = "Tokens a completion (dark, left axis) and claims a completion (violet, right axis) over the steps"
    figure.suptitle(title, x=0.01, ha="left", color=INK, fontsize=9.5)
    return figure


def quartiles_figure(results: Results) -> Figure:
    """Gain over the raw policy by how well known the person asked about is, answers sampled."""
    arms = [arm for arm in ("full", "a1", "a3", "profile") if results.seeds(arm)]
    figure = Figure(figsize=(8.0, 2.8), layout="constrained", facecolor="white")
    colours = dict(zip(("full", "a1", "a3", "profile"), (ACCENT, MUTED, "#c2792c", "#2f7f79"), strict=True))
    for axes, (name, title) in zip(figure.subplots(1, 2), FOREST, strict=True):
        plain_axes(axes)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        for shift, arm in enumerate(arms):
            gains = [
                paired(*(results.rates(one, name, mode="sampled", quartile=q) for one in (arm, "raw")))
                for q in range(4)
            ]
            x = np.arange(4) + 0.12 * (shift - (len(arms) - 1) / 2)
            middle = np.array([100 * gain.value for gain in gains])
            reach = np.array([[100 * (g.value - g.low), 100 * (g.high - g.value)] for g in gains]).T
            axes.errorbar(x, middle, yerr=reach, fmt="o-", color=colours[arm], label=arm, linewidth=1.2, markersize=4)
        axes.set_xticks(range(4), ["least known", "second", "third", "best known"])
        axes.set_title(f"{title} (points)", loc="left", color=INK, fontsize=9.5)
        axes.grid(axis="y", color=RULE, linewidth=0.8)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=8)
    return figure


def _curves(results: Results, arm: str, name: str) -> list[Sequence[float]]:
    """One curve a seed, a mean of two steps a point; counts of claims are divided by the completions of the step."""
    found = []
    for seed in results.seeds(arm):
        curve = results.trials[arm, seed]["curve"]
        values = np.array(curve[name], dtype=float)
        values = values / np.array(curve["completions"]) if name == "claiming" else values
        found.append(values[: values.size // 2 * 2].reshape(-1, 2).mean(axis=1))
    return found


def _lines(axes: Any, curves: Sequence[Sequence[float]], colour: str) -> None:
    for values in curves:
        axes.plot(np.arange(len(values)) * 2 + 1.5, values, color=colour, alpha=0.25, linewidth=0.7)
    size = min(map(len, curves))
    mean = [mean_of({seed: float(values[step]) for seed, values in enumerate(curves)}).value for step in range(size)]
    axes.plot(np.arange(size) * 2 + 1.5, mean, color=colour, linewidth=1.5)


if __name__ == "__main__":
    main()
