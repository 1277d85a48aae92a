"""What a reader must know to trust or repeat a run: model, corpus, method, schedule, fingerprints.

In: a run's settings and summary. Out: (label, value) pairs of plain text. This module knows the names of the settings
and nothing of how they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from corver.report.read import RunFiles
from corver.report.values import duration, lookup, number, text_of

__all__ = ["Fact", "facts", "model_name", "planned_steps", "steps_done"]

Fact = tuple[str, str]

_METHOD = (
    ("Extractor", "reward.extractor"),
    ("Support", "reward.support"),
    ("Rule", "reward.rule"),
    ("Window", "reward.window"),
    ("Judge rule", "reward.judge.rule"),
    ("Alignment", "credit.alignment"),
    ("Silence", "credit.silence"),
    ("λ judge", "credit.lambda_j"),
    ("λ format", "credit.lambda_f"),
    ("λ sentences", "credit.lambda_c"),
)
_SCHEDULE = (
    ("Prompts a step", "optimization.prompts_per_step"),
    ("Completions a prompt", "optimization.generations"),
    ("Learning rate", "optimization.learning_rate"),
    ("KL weight β", "optimization.beta"),
    ("Loss", "optimization.loss_type"),
    ("Temperature", "sampling.temperature"),
    ("Completion limit", "sampling.max_completion_tokens"),
    ("LoRA rank", "policy.lora.r"),
    ("Seed", "seed"),
)


def facts(files: RunFiles) -> list[Fact]:
    """Every known fact, in the order of reading."""
    return [(label, value) for label, value in _all(files) if value]


def model_name(files: RunFiles) -> str:
    """The policy's hub id, or the last part of its folder; '' when unknown."""
    name = text_of(lookup(files.config, "policy.model"), limit=200)
    local = name.startswith(("/", ".", "~")) or "\\" in name or name.count("/") > 1
    return (PurePath(name.replace("\\", "/")).name or name) if local else name


def steps_done(files: RunFiles) -> int:
    """The last step that was logged."""
    return int(files.metrics[-1]["step"]) if files.metrics else 0


def planned_steps(files: RunFiles) -> int | None:
    """The number of steps in the settings."""
    steps = number(lookup(files.config, "optimization.steps"))
    return None if steps is None else int(steps)


def _all(files: RunFiles) -> Iterator[Fact]:
    config, summary = files.config, files.summary
    yield "Model", model_name(files)
    yield "Revision", text_of(lookup(config, "policy.revision"))
    yield "Corpus", _corpus(files)
    planned = planned_steps(files)
    done = steps_done(files)
    yield "Steps", f"{done:,} of {planned:,}" if planned and done != planned else f"{done:,}" if done else ""
    yield "Questions evaluated", _whole(number(summary.get("questions")))
    seconds = summary.get("seconds")
    if isinstance(seconds, dict):
        for name, value in list(seconds.items())[:8]:
            if (known := number(value)) is not None:
                yield f"Time: {_words(name)}", duration(known)
    elif (total := number(seconds)) is not None:
        yield "Time", duration(total)
    for label, key in (*_METHOD, *_SCHEDULE):
        yield label, text_of(lookup(config, key), limit=80)
    fingerprints = summary.get("fingerprints")
    if isinstance(fingerprints, dict):
        for name, value in list(fingerprints.items())[:12]:
            yield f"Fingerprint: {_words(name)}", text_of(value, limit=80)


def _corpus(files: RunFiles) -> str:
    named = text_of(files.summary.get("corpus"))
    if named:
        return named
    path = text_of(lookup(files.config, "index"))
    return f"index {PurePath(path).name}" if path else ""


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _words(name: object) -> str:
    return text_of(name, limit=30).replace("_", " ")
