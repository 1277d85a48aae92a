"""One of several processes that train on written rollouts; writes the advantages of its own rows.

Called as: process_worker.py OUTPUT-FOLDER, under the environment that torch's launcher sets.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from corver.config import CreditConfig
from corver.train.processes import process_group
from tiny import END
from trainers import ended, make_trainer

ASKED = (("Where was Marie Curie born?", ["Warsaw"]), ("Which city did Reymont write about?", ["Łódź"]))
TEXTS = (
    ended("<think>Marie Curie was born in Warsaw. She left.</think> <answer>Warsaw</answer>"),
    ended("<think>This one will fail. It was written about Łódź, in {step}.</think> <answer>Łódź</answer>"),
    ended("<think>hush</think>"),
    "A long one, without tags: it was in London. It was in Ulm. It was in Bern. It was cut",
)


def script(question: str, place: int) -> str:
    return TEXTS[(place + len(question)) % 4] if place else END


def main(output: Path) -> None:
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    each = 4 // world
    trainer, recorded = make_trainer(
        output / f"trainer-{rank}",
        script,
        ASKED,
        credit=CreditConfig(lambda_c=2.0),
        first=rank * each,
        changes={"per_device_train_batch_size": each, "max_steps": 3} | ({"ddp_backend": "gloo"} if world > 1 else {}),
    )
    trainer.train()
    rows = [
        [rollout.question, rank * each + place, values[mask.astype(bool)].tolist()]
        for (_, rollouts, _, _), made in zip(recorded.batches, recorded.outputs, strict=True)
        for place, (rollout, values, mask) in enumerate(
            zip(rollouts, made["advantages"], made["completion_mask"], strict=True)
        )
    ]
    metrics = [
        {
            name: value
            for name, value in log.items()
            if name.startswith("corver/") and "seconds" not in name and name != "corver/reward_share"
        }
        for log in recorded.logs
        if "loss" in log
    ]
    logged = list(trainer._logs["advantages"])
    found = {"world": world, "rows": rows, "metrics": metrics, "logged": logged}
    (output / f"world{world}-rank{rank}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    with process_group():
        main(Path(sys.argv[1]))
