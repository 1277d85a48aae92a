"""Curves of the experiment as SVG. In: runs by arm and seed. Out: one file a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

PICTURES = {
    "rates-01-02": ("ρ0 = .1, ρ1 = .2", ["oracle, z-score", *(f"{n} (0.1, 0.2)" for n in (
        "noisy, z-score", "noisy, leave-one-out", "backward", "forward"))]),
    "rates-02-03": ("ρ0 = .2, ρ1 = .3", ["oracle, z-score", *(f"{n} (0.2, 0.3)" for n in (
        "noisy, z-score", "noisy, leave-one-out", "backward", "forward"))]),
    "rates-03-04": ("ρ0 = .3, ρ1 = .4", ["oracle, z-score", *(f"{n} (0.3, 0.4)" for n in (
        "noisy, z-score", "noisy, leave-one-out", "backward", "forward"))]),
    "appeals": ("appeals at ρ0 = .1, ρ1 = .2", ["oracle, z-score", "noisy, z-score (0.1, 0.2)", "flips alone, q .1",
        "estimate and backward, q .1", "estimate and forward, q .1", "the lenient judge alone, z-score"]),
}  # fmt: skip


def draw(runs: dict[str, dict[int, dict[str, Any]]], folder: Path) -> None:
    """Mean Pass@1 over seeds by step, a band of one standard error, one line an arm."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "corver"
    folder.mkdir(parents=True, exist_ok=True)
    for file, (title, names) in PICTURES.items():
        figure, axes = pyplot.subplots(figsize=(6.0, 3.6), layout="constrained")
        for name in names:
            rows = list(runs.get(name, {}).values())
            if not rows:
                continue
            steps = [point["step"] for point in rows[0]["curve"]]
            values = np.array([[point["pass@1"] for point in row["curve"]] for row in rows])
            mean, error = values.mean(0), values.std(0, ddof=1) / len(rows) ** 0.5 if len(rows) > 1 else 0 * values[0]
            axes.plot(steps, mean, label=name.replace(" (0.", "  (0.").split("  ")[0])
            axes.fill_between(steps, mean - error, mean + error, alpha=0.12)
        axes.set(title=title, xlabel="step", ylabel="Pass@1, held-out")
        axes.legend(fontsize=7, frameon=False)
        figure.savefig(folder / f"{file}.svg", metadata={"Date": None})
        pyplot.close(figure)
