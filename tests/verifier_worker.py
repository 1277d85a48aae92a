"""One of several processes that train against a verifier that errs, with appeals; writes the advantages of its rows.

Called as: verifier_worker.py OUTPUT-FOLDER, under the environment that torch's launcher sets.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corver.config import CreditConfig
from corver.credit.appeals import AppealCase, AppealDecision
from corver.train.processes import process_group
from trainers import ended, make_trainer

ASKED = (("What is two plus two?", ["4"]), ("What is three plus four?", ["7"]))
REPLIES = ("4", "four", "7", "seven")
CREDIT: dict[str, Any] = {
    "advantage": {"scale": "none"},
    "noise": {"correction": "backward", "false_positive": 0.1},
    "appeals": {"q": 0.7, "q_accepted": 0.4, "budget": 2},
}


def script(question: str, place: int) -> str:
    return ended(f"<think>So.</think> <answer>{REPLIES[place % 4]}</answer>")


def strict(*, completions: Sequence[Any], answers: Sequence[Any], **_: Any) -> list[float]:
    return [
        float(f"<answer>{golds[0]}</answer>" in completion[0]["content"])
        for completion, golds in zip(completions, answers, strict=True)
    ]


class Words:
    """Knows number words; says nothing on 7."""

    def decide(self, cases: Sequence[AppealCase]) -> list[AppealDecision]:
        pairs = {("4", "4"), ("4", "four"), ("7", "7"), ("7", "seven")}
        return [
            AppealDecision(None if case.prediction == "7" else (case.answers[0], case.prediction) in pairs)
            for case in cases
        ]


def main(output: Path) -> None:
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    each = 4 // world
    changes: dict[str, Any] = {"per_device_train_batch_size": each, "max_steps": 4, "scale_rewards": "none"}
    trainer, recorded = make_trainer(
        output / f"trainer-{rank}",
        script,
        ASKED,
        credit=CreditConfig(**CREDIT),
        first=rank * each,
        changes=changes | ({"ddp_backend": "gloo"} if world > 1 else {}),
        reward_funcs=[strict],
        sentence_reward=None,
        appeal_judge=Words(),
    )
    trainer.train()
    rows = [
        [step, rank * each + place, float(values[0])]
        for step, made in enumerate(recorded.outputs)
        for place, values in enumerate(made["advantages"])
    ]
    names = ("appeals_made", "appeals_flipped", "appeals_failed", "noise_false_negative", "noise_false_positive",
             "noise_scale", "verifier_accepted", "correction_change")  # fmt: skip
    metrics = [[log[f"corver/{name}"] for name in names] for log in recorded.logs if "loss" in log]
    found = {"rows": rows, "metrics": metrics}
    (output / f"world{world}-rank{rank}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    with process_group():
        main(Path(sys.argv[1]))
