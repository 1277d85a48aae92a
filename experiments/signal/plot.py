"""The plots of docs/signal.md, from what measure.py and gaming.py wrote.

    python experiments/signal/plot.py experiments/signal/results docs/images

Reads both.json, simplewiki.json, enwiki-core.json (of measure.py) and gaming.json; writes signal-areas.svg and
signal-gaming.svg, each a few kilobytes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update({"svg.hashsalt": "corver", "svg.fonttype": "none", "font.size": 9})
import matplotlib.pyplot as plt  # noqa: E402 - after the backend is chosen

CORPORA = {"both": "#1f4e79", "enwiki-core": "#5b9bd5", "simplewiki": "#a9c8e8"}
PAPER = "#c55a11"


def areas(folder: Path, out: Path) -> None:
    """The area under the curve of each set, by corpus, with the paper's levels as a mark."""
    figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
    for k, (name, colour) in enumerate(CORPORA.items()):
        result = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        rows: list[dict[str, Any]] = result["rows"]
        places = [i + (k - 1) * 0.25 for i in range(len(rows))]
        value = [row["area"] for row in rows]
        error = [[row["area"] - row["low"] for row in rows], [row["high"] - row["area"] for row in rows]]
        label = f"profile, {name} ({result['words'] / 1e6:.0f} M words)"
        axes.barh(places, value, height=0.23, color=colour, xerr=error, error_kw={"lw": 0.8}, label=label)
        axes.plot([row["paper"] for row in rows], places, "D", ms=3, color=PAPER, label="paper" if k == 0 else None)
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.invert_yaxis()
    axes.set(xlim=(0.5, 0.95), xlabel="area under the ROC curve")
    axes.legend(fontsize=7, loc="lower right")
    figure.savefig(out / "signal-areas.svg", metadata={"Date": None})


def gaming(folder: Path, out: Path) -> None:
    """The share of edits that pay, by support."""
    rows = json.loads((folder / "gaming.json").read_text(encoding="utf-8"))["edits"]
    figure, axes = plt.subplots(figsize=(7, 4.6), layout="constrained")
    for k, (name, colour) in enumerate((("profile", "#1f4e79"), ("paper", PAPER))):
        shares = [row["shares"][name] for row in rows]
        error = [[a - low for a, low, _ in shares], [high - a for a, _, high in shares]]
        axes.barh(
            [i + (k - 0.5) * 0.36 for i in range(len(rows))], [a for a, _, _ in shares], height=0.34, color=colour,
            xerr=error, error_kw={"lw": 0.8}, label=name,
        )  # fmt: skip
    axes.axvline(0.25, color="black", lw=0.8, ls="--")
    axes.set_yticks(range(len(rows)), [row["edit"] for row in rows])
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xlabel="share of edits that raise the reward")
    axes.legend(fontsize=8)
    figure.savefig(out / "signal-gaming.svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    areas(arguments.results, arguments.output)
    gaming(arguments.results, arguments.output)


if __name__ == "__main__":
    main()
