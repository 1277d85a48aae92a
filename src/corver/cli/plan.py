"""`corver train --dry-run`: a run's plan as text.

In: a RunPlan. Out: its settings as YAML, its arithmetic, data and memory as tables. This module computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from corver.cli.bars import quantity
from corver.cli.output import table

if TYPE_CHECKING:
    from corver.train.plan import RunPlan

__all__ = ["plan_text"]

_MEMORY = (
    ("weights", "weights"),
    ("adapter", "adapters"),
    ("gradients", "gradients"),
    ("optimiser", "optimiser"),
    ("reference", "reference model"),
    ("cache", "cache while sampling"),
    ("activations", "activations"),
    ("logits", "logits"),
    ("sampling", "together while sampling"),
    ("backward", "together in a backward pass"),
)


def plan_text(plan: RunPlan) -> str:
    """All of a plan, to be read by people."""
    settings = yaml.safe_dump(plan.config.model_dump(mode="json"), sort_keys=False, allow_unicode=True).rstrip()
    parts = [settings, "# batch\n" + table([(name.replace("_", " "), f"{n:,}") for name, n in plan.batch.items()])]
    if plan.data is not None:
        parts.append("# questions\n" + table(_data(plan.data)))
    if plan.memory is not None and plan.model is not None:
        model = [(f"{name} weights", quantity(count, "weights")) for name, count in
                 (("all", plan.model["parameters"]), ("trained", plan.model["trained"]))]  # fmt: skip
        rows = [(label, quantity(plan.memory[name], "bytes")) for name, label in _MEMORY if plan.memory[name]]
        parts.append(f"# memory of each device ({plan.device}), estimated\n" + table([*model, *rows]))
    parts += [f"# note: {note}" for note in plan.notes]
    return "\n\n".join(parts)


def _data(report: dict[str, Any]) -> list[tuple[str, str]]:
    held = report["held_out"]
    rows = [(f"read from {source}", f"{count:,}") for source, count in report["read"].items()]
    rows += [("standing there again", f"{report['repeated']:,}"),
             ("held out", f"{held['questions']:,}"),
             ("left out, the same as one held out", f"{held['same']:,}"),
             ("left out, alike one held out", f"{held['alike']:,}")]  # fmt: skip
    if "in_zone" in report:
        rows.append(("in the learning zone", f"{report['in_zone']:,}"))
    return [*rows, ("trained on", f"{report['training']:,}")]
