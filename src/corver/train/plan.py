"""What a run would do, found out without loading weights: its settings, arithmetic, data and memory.

In: a RunConfig. Out: a RunPlan. What cannot be known here (a hub that does not answer, a file that is not made yet)
becomes a note, since a plan is asked for before everything is in place. This module starts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from corver.config import RunConfig
from corver.corpus.hub import PREFIX
from corver.errors import CorverError, InputError
from corver.policy.load import pick_device
from corver.train.arguments import batch_sizes, check_settings, usable_optimizer
from corver.train.data import read_run_questions
from corver.train.estimate import (
    Memory,
    ModelShape,
    estimate_memory,
    lighter_micro_batch,
    model_config,
    shape_of,
)
from corver.train.noise import appeals_note, rates_notes, with_measured_noise

__all__ = ["RunPlan", "plan_run"]


@dataclass(frozen=True, slots=True)
class RunPlan:
    """config: resolved. batch: numbers of a step and of the run. data: the report of the questions, None when they
    cannot be read yet. model, memory: None when the model's shape is not known. notes: one line each."""

    config: RunConfig
    batch: dict[str, int]
    data: dict[str, Any] | None
    model: dict[str, int] | None
    memory: dict[str, int] | None
    device: str
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "config": self.config.model_dump(mode="json"),
            "batch": self.batch,
            "data": self.data,
            "model": self.model,
            "memory_per_device": self.memory,
            "device": self.device,
            "notes": list(self.notes),
        }


def plan_run(config: RunConfig, *, processes: int = 1) -> RunPlan:
    """The plan of a run, on this machine's device, or on the one that the configuration names, whether it is here or
    not. processes: how many will share a step. Raises ConfigError for numbers that do not fit together."""
    doubts = rates_notes(config)
    config = with_measured_noise(config)
    notes: list[str] = [*doubts, *([note] if (note := appeals_note(config)) else [])]
    device = pick_device("auto") if config.policy.device == "auto" else torch.device(config.policy.device)
    optimizer, shortfall = usable_optimizer(config.optimization.optimizer, device)
    if device.type == "cuda" and not torch.cuda.is_available():  # planned here, run elsewhere
        optimizer, shortfall = config.optimization.optimizer, None
    if shortfall is not None:
        notes.append(shortfall)
    check_settings(config, processes=processes)
    batch = _batch(config, processes)
    data = _data(config, notes)
    shape = _shape(config, notes)
    memory = None
    if shape is not None:
        estimate = estimate_memory(config, shape, device=device, optimizer=optimizer, processes=processes)
        if (hint := _lighter(estimate, batch["completions_per_backward_pass"])) is not None:
            notes.append(hint)
        memory = estimate.to_json()
    return RunPlan(
        config=config,
        batch=batch,
        data=data,
        model=None if shape is None else {"parameters": shape.parameters, "trained": shape.trained},
        memory=memory,
        device=str(device.type),
        notes=tuple(notes),
    )


def _batch(config: RunConfig, processes: int) -> dict[str, int]:
    optimization, sampling = config.optimization, config.sampling
    sizes = batch_sizes(optimization, processes=processes)
    batches = -(-optimization.steps // optimization.iterations)
    longest = sampling.max_prompt_tokens + sampling.max_completion_tokens
    return {
        "processes": processes,
        "questions_per_step": optimization.prompts_per_step,
        "completions_per_question": optimization.generations,
        "completions_per_step": sizes.completions,
        "completions_per_backward_pass": sizes.micro,
        "backward_passes_per_step_and_process": sizes.passes,
        "optimizer_steps": optimization.steps,
        "generation_batches": batches,
        "questions_asked": batches * optimization.prompts_per_step,
        "completions_sampled": batches * sizes.completions,
        "tokens_per_step_at_most": sizes.completions * longest,
        "tokens_sampled_at_most": batches * sizes.completions * sampling.max_completion_tokens,
    }


_GIB = 1 << 30


def _lighter(memory: Memory, micro: int) -> str | None:
    """What a smaller micro batch would spare, where that is a GiB or more: logits of a small model outweigh it."""
    lighter = lighter_micro_batch(memory, micro)
    if lighter is None or memory.backward - lighter[1] < _GIB:
        return None
    return (
        f"logits take {memory.logits / _GIB:.1f} of the {memory.backward / _GIB:.1f} GiB of a backward pass; with "
        f"optimization.micro_batch {lighter[0]} (now {micro}) it takes {lighter[1] / _GIB:.1f} GiB, and a step stays "
        "the same"
    )


def _absent(config: RunConfig) -> tuple[list[str], list[str]]:
    """A line for each thing that the configuration names and that is not there: the index, and files of questions."""
    data, evaluation, index = config.data, config.evaluation, config.index
    build = f"make it with `corver index build SOURCE --output {index}`"
    how = "describe an engine there" if index.suffix in (".yaml", ".yml") else build
    no_index = [] if index.exists() else [f"{index}: no such index yet; {how}"]
    named = [Path(source) for source in (*data.questions, *data.exclude) if not source.startswith(PREFIX)]
    named += [] if evaluation is None else [evaluation.questions]
    notes = [f"{path}: no such file of questions yet" for path in dict.fromkeys(named) if not path.exists()]
    if data.zone is not None and not data.zone.exists():
        notes.append(f"{data.zone}: no such learning-zone file yet; make it with `corver zone CONFIG --to {data.zone}`")
    return no_index, notes


def _data(config: RunConfig, notes: list[str]) -> dict[str, Any] | None:
    no_index, absent = _absent(config)
    notes += [*no_index, *absent]
    away = [source for source in (*config.data.questions, *config.data.exclude) if source.startswith(PREFIX)]
    if away:
        notes.append(f"questions of a hub are not fetched for a plan: {', '.join(away)}")
    if away or absent:
        return None
    try:
        return read_run_questions(config).report
    except CorverError as error:
        notes.append(str(error))
        return None


def _shape(config: RunConfig, notes: list[str]) -> ModelShape | None:
    try:
        found, note = model_config(config.policy)
    except InputError as error:
        notes.append(f"no estimate of memory: {error}")
        return None
    if note is not None:
        notes.append(note)
    try:
        return shape_of(found, config.policy.lora)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:  # whatever a foreign config.json says
        reason = " ".join(str(error).split())[:200]
        notes.append(f"{config.policy.model}: its config.json does not fit the formulas of memory: {reason}")
        return None
