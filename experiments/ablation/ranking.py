"""How well counts tell truth in the small worlds: share of true sentences by count, and how supports rank sentences.

    python experiments/ablation/ranking.py --output runs/ablation/small --to FILE
    python experiments/ablation/ranking.py --to experiments/ablation/results/calibration.json

In: prepared worlds (the first form), or what was written (the second). Out: a table. Sentences are those of one sampled
answer of the raw policy to every question. This module trains nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from arms import SETUP
from estimates import mean_of
from tables import Table, shown
from wording import read_sentence
from world import make_world

__all__ = ["calibration_tables", "main"]

LEVELS = ("0", "1–4", "5–19", "20 and more")
PUBLISHED = ("24", "53", "70–73", "81")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="folder of the worlds; without it the file is read")
    parser.add_argument("--to", type=Path, required=True)
    options = parser.parse_args()
    if options.output is not None:
        folders = sorted(folder for folder in options.output.glob("world-*") if folder.name != "world-0")
        rows = [measured(folder) for folder in folders if (folder / "index").exists()]
        options.to.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for table in calibration_tables(options.to):
        print(f"\n{table.title}\n\n{table}")


def measured(folder: Path) -> dict[str, Any]:
    """Of one world: true and all sentences a level, and the area under the curve of each score."""
    from transformers import set_seed
    from trial import answer, load

    from corver.config import RewardConfig
    from corver.index import Index
    from corver.reward.build import build_scorer
    from corver.reward.profile import sentence_score
    from corver.types import Rollout

    world = make_world(int(folder.name.rpartition("-")[2]))
    set_seed(world.seed)
    rows = answer(load(folder / "model"), world.questions, rule=True, setup=SETUP, temperature=1.0)
    rollouts = [Rollout(text, question=q.text) for q, (text, _, _) in zip(world.questions, rows, strict=True)]
    table = {level: [0, 0] for level in LEVELS}
    scored: dict[str, list[tuple[float, bool]]] = {"paper": [], "min": [], "relcheck": [], "profile": []}
    with Index.open(folder / "index") as index:
        for name, found in scored.items():
            config = RewardConfig(support="profile") if name == "profile" else RewardConfig(
                rule="first" if name == "paper" else name)  # fmt: skip
            for score in (s for row in build_scorer(config, index=index).score_rollouts(rollouts) for s in row):
                claims = read_sentence(score.text)
                if not claims or not score.has_claim or score.repeated:
                    continue
                true = all(claim in world.truths for claim in claims)
                found.append((sentence_score(score.units) if name == "profile" else float(score.level or 0), true))
                if name == "paper":
                    cell = table[LEVELS[score.level or 0]]
                    cell[0], cell[1] = cell[0] + true, cell[1] + 1
    return {"seed": world.seed, "levels": table, "auroc": {name: auroc(found) for name, found in scored.items()}}


def auroc(scored: Sequence[tuple[float, bool]]) -> float:
    """P(score of a true sentence > score of a false one), ties half."""
    good = np.array([score for score, true in scored if true])
    bad = np.array([score for score, true in scored if not true])
    return float(((good[:, None] > bad).mean() + (good[:, None] >= bad).mean()) / 2)


def calibration_tables(path: Path) -> list[Table]:
    """Means over worlds, of the file that was written."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    cells = []
    for level, published in zip(LEVELS, PUBLISHED, strict=True):
        found = {row["seed"]: row["levels"][level] for row in rows}
        share = mean_of({seed: true / total for seed, (true, total) in found.items() if total})
        cells.append([level, str(sum(total for _, total in found.values())), shown(share, "precision"), published])
    names = rows[0]["auroc"]
    ranks = [[name, shown(mean_of({row["seed"]: row["auroc"][name] for row in rows}), "auroc")] for name in names]
    return [
        Table("Sentences of the raw policy by count", ["count", "sentences", "true, %", "published, %"], cells),
        Table("Area under the ROC curve, true against false sentences", ["score", "area"], ranks),
    ]


if __name__ == "__main__":
    main()
