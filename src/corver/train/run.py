"""A training run from configuration to report: raw evaluation, GRPO, trained evaluation, summary.

In: a RunConfig. Out: a run folder. Every stage leaves its result on disk and is skipped when that result is there, so
a run that was killed goes on where it stopped; a folder that belongs to another configuration is refused. Of several
processes (torchrun, accelerate launch) the main one evaluates and writes, all of them train. This module puts the rooms
together and computes nothing itself.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import yaml
from peft import PeftModel
from transformers import set_seed

from corver.config import RunConfig
from corver.errors import ConfigError, CorverWarning, TrainingError
from corver.evaluate.questions import Question
from corver.evaluate.run import evaluate_policy
from corver.evaluate.stats import compare, summarize
from corver.index.counters import open_counter
from corver.policy.generate import SamplingSettings
from corver.policy.load import Policy, load_policy
from corver.policy.prompts import check_prompt
from corver.progress import Progress, no_progress
from corver.report import write_card, write_report
from corver.reward.build import build_scorer
from corver.reward.scorer import CooccurrenceReward
from corver.runs import RunFolder, write_text
from corver.train.arguments import check_settings
from corver.train.building import build_trainer, fitting_questions, lora_config
from corver.train.callbacks import MetricsLog, SampleLog
from corver.train.checkpoints import newest_checkpoint, read_object
from corver.train.data import read_run_questions
from corver.train.noise import appeals_note, rates_notes, with_measured_noise
from corver.train.processes import Processes
from corver.types import Counter

__all__ = ["train"]


def train(config: RunConfig, *, progress: Progress = no_progress) -> RunFolder:
    """Run, or go on with, the run of `config.output`. Only the main process of several leaves the folder finished.

    progress: called as (stage, done, total, unit), in the main process. Raises ConfigError when the folder holds
    another run, TrainingError when a checkpoint does not fit.
    """
    notes = rates_notes(config)
    config = with_measured_noise(config)
    processes = Processes(config.policy.device)
    if config.threads:
        torch.set_num_threads(config.threads)
    folder = RunFolder(config.output)
    for note in (*notes, appeals_note(config)):
        if processes.main and note is not None:
            warnings.warn(note, CorverWarning, stacklevel=2)
    processes.on_main(folder.create)
    with folder.locked() if processes.main else nullcontext():
        processes.on_main(lambda: _claim(folder, config))
        if not processes.agree(folder.summary.exists()):
            with open_counter(config.index) as index, warnings.catch_warnings():
                # What transformers will rename next is news for us, not for the one who trains.
                warnings.simplefilter("ignore", FutureWarning)
                _Run(config, folder, index, processes, progress if processes.main else no_progress).finish()
        if not processes.main:
            return folder
        # A run killed after its summary still gets its card and page.
        if not folder.card.exists():
            write_card(folder)
        if not folder.report.exists():
            write_report(folder)
    return folder


class _Run:
    """One run: what all stages share."""

    def __init__(
        self, config: RunConfig, folder: RunFolder, index: Counter, processes: Processes, progress: Progress
    ) -> None:
        self.config = config
        self.folder = folder
        self.progress = progress
        self.index = index
        self.processes = processes
        self.scorer = build_scorer(config.reward, index=index)
        self.reward = CooccurrenceReward(self.scorer)
        self.seconds = _seconds(folder.state)
        self.data: dict[str, Any] = {}
        self.weights: str | None = None

    def finish(self) -> None:
        """All stages, each skipped when it is done."""
        if not self.processes.agree(self.folder.adapter.exists()):
            check_settings(self.config, processes=self.processes.number)
        questions = read_run_questions(self.config)
        self.data = questions.report
        set_seed(self.config.seed)
        policy = load_policy(self.config.policy)
        self.weights = policy.weights
        settings = self.config.policy
        check_prompt(policy.tokenizer, prompt=settings.prompt, template=settings.chat_template_kwargs)
        lora_config(self.config, policy)  # refuses what does not fit the model before the model is evaluated
        training = fitting_questions(self.config, policy, questions.training)
        self.data["too_long"] = len(questions.training) - len(training)
        raw = self.processes.on_main(lambda: self._evaluate(policy, questions.evaluation, "raw"))
        trained_policy = self._train(policy, training)
        if self.processes.main and raw is not None:
            trained = self._evaluate(trained_policy, questions.evaluation, "trained")
            self._summarize(raw, trained)

    def _evaluate(self, policy: Policy, questions: Sequence[Question], name: str) -> list[dict[str, Any]]:
        settings = self.config.evaluation
        if settings is None:
            return []
        started = time.monotonic()
        rows = evaluate_policy(
            policy,
            questions,
            self.folder.evaluation(name),
            sentence_reward=self.reward,
            reward=self.config.reward,
            prompt=self.config.policy.prompt,
            template=self.config.policy.chat_template_kwargs,
            settings=SamplingSettings(
                temperature=0.0,
                max_tokens=settings.max_completion_tokens or self.config.sampling.max_completion_tokens,
                batch=settings.batch,
            ),
            key={"run": self._fingerprint(), **self._fingerprints()},
            progress=lambda _, done, total, unit: self.progress(f"evaluate {name}", done, total, unit),
        )
        self._took(f"evaluate_{name}", time.monotonic() - started)
        return rows

    def _train(self, policy: Policy, questions: Sequence[Question]) -> Policy:
        processes = self.processes
        if processes.agree(self.folder.adapter.exists()):
            return self._trained_from_disk(policy)
        checkpoint = processes.agree(newest_checkpoint(self.folder.checkpoints))
        metrics, samples = self._logs(int(checkpoint.name.rpartition("-")[2]) if checkpoint else 0)
        trainer = build_trainer(
            self.config,
            self.folder,
            policy,
            questions,
            sentence_reward=self.reward,
            fingerprints=self._fingerprints(),
            callbacks=[metrics],
            record=samples if processes.main else None,
            processes=processes.number,
        )
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        processes.on_main(lambda: self._save(policy, trainer, metrics.seconds))
        return replace(policy, model=trainer.model)

    def _logs(self, steps_done: int) -> tuple[MetricsLog, SampleLog]:
        limit = self.config.optimization.time_limit
        metrics = MetricsLog(
            self.folder.metrics,
            total=self.config.optimization.steps,
            time_limit=None if limit is None else limit * 60,
            progress=self.progress,
            agree=self.processes.agree,
        )
        samples = SampleLog(self.folder.samples)
        if self.processes.main:
            metrics.rewind(steps_done)
            samples.rewind(steps_done)
        return metrics, samples

    def _save(self, policy: Policy, trainer: Any, seconds: float) -> None:
        self._took("train", seconds)
        part = self.folder.adapter.with_name(".adapter.part")
        trainer.model.save_pretrained(part)
        policy.tokenizer.save_pretrained(part)
        part.rename(self.folder.adapter)

    def _took(self, stage: str, seconds: float) -> None:
        """Keep the time of the sitting that finished a stage; a later sitting only finds it done."""
        if stage not in self.seconds:
            self.seconds[stage] = round(seconds, 1)
            write_text(self.folder.state, json.dumps(self.seconds) + "\n")

    def _trained_from_disk(self, policy: Policy) -> Policy:
        if self.config.policy.lora is None:
            saved = self.config.policy.model_copy(update={"model": str(self.folder.adapter), "gguf_file": None})
            return load_policy(saved)
        return replace(policy, model=PeftModel.from_pretrained(policy.model, self.folder.adapter))

    def _summarize(self, raw: Sequence[dict[str, Any]], trained: Sequence[dict[str, Any]]) -> None:
        summary: dict[str, Any] = {
            "questions": len(raw),
            "seconds": self.seconds,
            "fingerprints": self._fingerprints(),
            "data": self.data,
        }
        if self.config.evaluation is not None:
            draws = self.config.evaluation.bootstrap
            for name, rows in (("raw", raw), ("trained", trained)):
                table = summarize(rows, draws=draws, seed=self.config.seed)
                summary[name] = {key: estimate.to_json() for key, estimate in table.items()}
            difference = compare(raw, trained, draws=draws, seed=self.config.seed)
            summary["difference"] = {key: estimate.to_json() for key, estimate in difference.items()}
        for written_early in (self.folder.card, self.folder.report):
            written_early.unlink(missing_ok=True)
        write_text(self.folder.summary, json.dumps(summary, indent=2) + "\n")

    def _fingerprints(self) -> dict[str, str]:
        model = {} if self.weights is None else {"model": self.weights}
        return {
            **model,
            "index": self.index.fingerprint(),
            "scorer": self.scorer.fingerprint(),
            "credit": self.config.credit.fingerprint(),
        }

    def _fingerprint(self) -> str:
        return self.config.fingerprint()


def _seconds(path: Path) -> dict[str, float]:
    """What each finished stage took, as an earlier sitting wrote it down; {} without a file."""
    if not path.exists():
        return {}
    cure = "remove it; only the times of the stages that are done are lost"
    found = read_object(path, cure=cure)
    if not all(isinstance(value, int | float) for value in found.values()):
        raise TrainingError(f"{path}: is damaged (a time is no number); {cure}")
    return found


def _claim(folder: RunFolder, config: RunConfig) -> None:
    """Make the folder this run's own, or check that it already is.

    A run that ended before it had made anything, for want of a file say, leaves the folder to whatever comes next.
    """
    text = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    begun = folder.config.exists()
    if begun and folder.config.read_text(encoding="utf-8") == text:
        return
    made = [
        path for path in folder.path.rglob("*") if path.is_file() and path not in (folder.path / ".lock", folder.config)
    ]
    if made and begun:
        raise ConfigError(
            f"{folder.path}: holds a run with other settings (see its config.yaml); choose another output folder"
        )
    if made:
        name = made[0].relative_to(folder.path)
        raise ConfigError(f"{folder.path}: is not empty and holds no run ({name}); choose another output folder")
    write_text(folder.config, text)
