"""Trainers on the tiny model whose rollouts are written by the test, and what they made of them."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl import GRPOConfig

from corver.config import CreditConfig
from corver.policy.prompts import prompt_messages
from corver.train.rewards import format_function, judge_function
from corver.train.trl import CorverTrainer
from corver.types import Pair, Rollout, SentenceScore, Span, Status
from tiny import END, make_policy

Script = Callable[[str, int], str]
"""Question and place in its group to the completion's text; it ends with END unless the limit cut it."""


class HashedReward:
    """A corpus made up on the spot: a sentence's count follows from its words. `fail` in a sentence is a failure,
    `hush` makes it one without a claim."""

    def score(self, rollouts: Sequence[Rollout]) -> list[list[SentenceScore]]:
        return [[self._one(rollout.completion, span) for span in rollout.sentences or ()] for rollout in rollouts]

    def _one(self, completion: str, span: Span) -> SentenceScore:
        text = span.of(completion)
        if "fail" in text:
            return SentenceScore(span, text, Status.FAILED, math.nan, reason="asked to")
        if "hush" in text:
            return SentenceScore(span, text, Status.NO_CLAIM, 0.0)
        level = hashlib.sha256(text.encode()).digest()[0] % 4
        status = Status.SUPPORTED if level else Status.UNSUPPORTED
        return SentenceScore(span, text, status, (-0.3, -0.1, 0.0, 0.1)[level], Pair("a", "b", "c"), ("a",), level)


@dataclass
class Recorded:
    """What a trainer handed to `record`, and the tensors it made, one entry a generation batch."""

    batches: list[tuple[int, list[Rollout], list[list[SentenceScore]], list[float]]] = field(default_factory=list)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    logs: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, step: int, rollouts: Any, scores: Any, response: Any) -> None:
        self.batches.append((step, list(rollouts), [list(row) for row in scores], [float(v) for v in response]))


class _LogKeeper(TrainerCallback):
    """Keeps what reaches the loggers, whatever way a version of TRL takes to get it there."""

    def __init__(self, recorded: Recorded) -> None:
        self._recorded = recorded

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        self._recorded.logs.append(dict(logs or {}))


def dataset(questions: Sequence[tuple[str, Sequence[str]]]) -> Dataset:
    return Dataset.from_list(
        [{"prompt": prompt_messages(text), "question": text, "answers": list(golds)} for text, golds in questions]
    )


def arguments(folder: Path, **changes: Any) -> GRPOConfig:
    """Two prompts of four completions a step, two steps, on the CPU in float32."""
    settings: dict[str, Any] = {
        "output_dir": str(folder),
        "max_steps": 2,
        "per_device_train_batch_size": 8,
        "num_generations": 4,
        "max_completion_length": 64,
        "learning_rate": 1e-3,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "remove_unused_columns": False,
        "dataloader_pin_memory": False,
        "seed": 7,
    }
    return GRPOConfig(**settings | changes)


def scripted(script: Script, *, first: int = 0) -> Callable[[list[Any], Any], dict[str, Any]]:
    """A rollout function that says what the script says. first: place in its group of the first prompt given."""

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        tokenizer = trainer.processing_class
        places: dict[str, int] = {}
        completions, prompt_ids = [], []
        for prompt in prompts:
            question = prompt[-1]["content"]
            place = places.setdefault(question, first)
            places[question] += 1
            completions.append(tokenizer(script(question, place), add_special_tokens=False)["input_ids"])
            prompt_ids.append(tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=False))
        return {"prompt_ids": prompt_ids, "completion_ids": completions, "logprobs": None}

    return rollout


def make_trainer(
    folder: Path,
    script: Script,
    questions: Sequence[tuple[str, Sequence[str]]],
    *,
    credit: CreditConfig | None = None,
    reward: Any = None,
    first: int = 0,
    changes: dict[str, Any] | None = None,
    kind: type[Any] = CorverTrainer,
    **more: Any,
) -> tuple[Any, Recorded]:
    """A trainer (CorverTrainer, or TRL's own as `kind`) that keeps what it makes."""
    policy = make_policy()
    recorded = Recorded()
    settings: dict[str, Any] = {
        "model": policy.model,
        "processing_class": policy.tokenizer,
        "reward_funcs": [judge_function(), format_function()],
        "args": arguments(folder, **(changes or {})),
        "train_dataset": dataset(questions),
        "rollout_func": scripted(script, first=first),
    }
    if issubclass(kind, CorverTrainer):
        settings |= {"sentence_reward": reward or HashedReward(), "credit": credit, "record": recorded}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="You are using 'rollout_func'")
        trainer = kind(**settings | more)
    trainer.remove_callback(PrinterCallback)
    made = trainer._generate_and_score_completions

    def keep(inputs: Any) -> Any:
        output = made(inputs)
        kept = ("advantages", "completion_ids", "completion_mask")
        recorded.outputs.append({name: output[name].detach().clone().numpy() for name in kept})
        return output

    trainer._generate_and_score_completions = keep
    trainer.add_callback(_LogKeeper(recorded))
    return trainer, recorded


def ended(text: str) -> str:
    return text + END


def weights_of(model: Any) -> np.ndarray:
    return np.concatenate([parameter.detach().numpy().ravel() for parameter in model.parameters()])
