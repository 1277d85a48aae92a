"""A training run from configuration to report: raw evaluation, GRPO, trained evaluation, summary.

In: a RunConfig. Out: a run folder. Every stage leaves its result on disk and is skipped when that result is there, so
a run that was killed goes on where it stopped; a folder that belongs to another configuration is refused. This module
puts the rooms together and computes nothing itself.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import yaml
from accelerate import PartialState
from datasets import Dataset
from peft import LoraConfig, PeftModel
from transformers import PrinterCallback, set_seed

from corver.config import RunConfig
from corver.errors import ConfigError
from corver.evaluate.questions import Question, draw_questions, read_questions
from corver.evaluate.run import evaluate_policy
from corver.evaluate.stats import compare, summarize
from corver.index.counters import open_counter
from corver.policy.generate import SamplingSettings, encode_prompt
from corver.policy.load import Policy, load_policy
from corver.policy.prompts import prompt_messages
from corver.progress import Progress, no_progress
from corver.report import write_card, write_report
from corver.reward.build import build_scorer
from corver.reward.scorer import CooccurrenceReward
from corver.runs import RunFolder, write_text
from corver.text.words import words
from corver.train.arguments import grpo_arguments
from corver.train.callbacks import MetricsLog, SampleLog
from corver.train.rewards import format_function, judge_function
from corver.train.shared_prompt import SharedPromptTrainer, shared_prompt_rollouts
from corver.train.trl import CorverTrainer
from corver.train.zone import in_zone, read_zone
from corver.types import Counter

__all__ = ["train"]


def train(config: RunConfig, *, progress: Progress = no_progress) -> RunFolder:
    """Run, or go on with, the run of `config.output`.

    progress: called as (stage, done, total, unit). Raises ConfigError when the folder holds another run, TrainingError
    when a checkpoint does not fit.
    """
    processes = PartialState().num_processes
    if processes > 1:
        raise ConfigError(
            f"a run works in one process, found {processes}; on several devices use corver.train.trl.CorverTrainer"
        )
    if config.threads:
        torch.set_num_threads(config.threads)
    folder = RunFolder(config.output)
    folder.create()
    with folder.locked():
        _claim(folder, config)
        if not folder.summary.exists():
            with open_counter(config.index) as index, warnings.catch_warnings():
                # What transformers will rename next is news for us, not for the one who trains.
                warnings.simplefilter("ignore", FutureWarning)
                _Run(config, folder, index, progress).finish()
        # A run killed after its summary still gets its card and page.
        if not folder.card.exists():
            write_card(folder)
        if not folder.report.exists():
            write_report(folder)
    return folder


class _Run:
    """One run in one process: what all stages share."""

    def __init__(self, config: RunConfig, folder: RunFolder, index: Counter, progress: Progress) -> None:
        self.config = config
        self.folder = folder
        self.progress = progress
        self.index = index
        self.scorer = build_scorer(config.reward, index=index)
        self.reward = CooccurrenceReward(self.scorer)
        self.seconds: dict[str, float] = json.loads(folder.state.read_text()) if folder.state.exists() else {}

    def finish(self) -> None:
        """All stages, each skipped when it is done."""
        questions = self._evaluation_questions()
        train_questions = self._train_questions(exclude=questions)
        set_seed(self.config.seed)
        policy = load_policy(self.config.policy)
        train_questions = self._fitting(policy, train_questions)
        raw = self._evaluate(policy, questions, "raw")
        trained_policy = self._train(policy, train_questions)
        trained = self._evaluate(trained_policy, questions, "trained")
        self._summarize(raw, trained)

    def _evaluation_questions(self) -> list[Question]:
        settings = self.config.evaluation
        if settings is None:
            return []
        return read_questions(settings.questions, split=settings.split, limit=settings.limit)

    def _train_questions(self, *, exclude: Sequence[Question]) -> list[Question]:
        data = self.config.data
        questions = read_questions(data.questions, split=data.split)
        held_out = {_gist(question) for question in exclude}
        questions = [question for question in questions if _gist(question) not in held_out]
        if data.zone is not None:
            questions = in_zone(questions, read_zone(data.zone), bounds=data.bounds, anchors=data.anchors)
        if not questions:
            raise ConfigError(f"{data.questions}: every training question is also an evaluation question")
        return draw_questions(questions, data.limit)

    def _fitting(self, policy: Policy, questions: Sequence[Question]) -> list[Question]:
        """The questions whose prompt keeps to sampling.max_prompt_tokens."""
        settings, most = self.config.policy, self.config.sampling.max_prompt_tokens
        fitting = [
            question
            for question in questions
            if len(encode_prompt(policy, question.question, prompt=settings.prompt,
                                 template=settings.chat_template_kwargs)) <= most
        ]  # fmt: skip
        if not fitting:
            raise ConfigError(f"sampling.max_prompt_tokens={most}: every prompt is longer")
        return fitting

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
        if self.folder.adapter.exists():
            return self._trained_from_disk(policy)
        checkpoint = _last_checkpoint(self.folder.checkpoints)
        steps_done = int(checkpoint.name.rpartition("-")[2]) if checkpoint else 0
        limit = self.config.optimization.time_limit
        metrics = MetricsLog(
            self.folder.metrics,
            total=self.config.optimization.steps,
            time_limit=None if limit is None else limit * 60,
            progress=self.progress,
        )
        metrics.rewind(steps_done)
        samples = SampleLog(self.folder.samples)
        samples.rewind(steps_done)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="You are using 'rollout_func'")
            trainer = self._trainer(policy, questions, callbacks=[metrics], record=samples)
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        self._took("train", metrics.seconds)
        part = self.folder.adapter.with_name(".adapter.part")
        trainer.model.save_pretrained(part)
        policy.tokenizer.save_pretrained(part)
        part.rename(self.folder.adapter)
        return replace(policy, model=trainer.model)

    def _took(self, stage: str, seconds: float) -> None:
        """Keep the time of the sitting that finished a stage; a later sitting only finds it done."""
        if stage not in self.seconds:
            self.seconds[stage] = round(seconds, 1)
            write_text(self.folder.state, json.dumps(self.seconds) + "\n")

    def _trainer(
        self, policy: Policy, questions: Sequence[Question], *, callbacks: list[Any], record: SampleLog
    ) -> CorverTrainer:
        kind, rollouts = self._engine()
        trainer = kind(
            model=policy.model,
            processing_class=policy.tokenizer,
            reward_funcs=[judge_function(self.config.reward.judge), format_function(self.config.reward.format)],
            args=grpo_arguments(self.config, self.folder, device=policy.device),
            train_dataset=self._dataset(questions),
            peft_config=self._lora(policy),
            callbacks=callbacks,
            sentence_reward=self.reward,
            credit=self.config.credit,
            record=record,
            fingerprints=self._fingerprints(),
            **rollouts,
        )
        trainer.remove_callback(PrinterCallback)
        return trainer

    def _trained_from_disk(self, policy: Policy) -> Policy:
        if self.config.policy.lora is None:
            saved = self.config.policy.model_copy(update={"model": str(self.folder.adapter), "gguf_file": None})
            return load_policy(saved)
        return replace(policy, model=PeftModel.from_pretrained(policy.model, self.folder.adapter))

    def _dataset(self, questions: Sequence[Question]) -> Dataset:
        return Dataset.from_list(
            [
                {
                    "prompt": prompt_messages(question.question, prompt=self.config.policy.prompt),
                    "question": question.question,
                    "answers": list(question.answers),
                }
                for question in questions
            ]
        )

    def _engine(self) -> tuple[type[CorverTrainer], dict[str, Any]]:
        """The trainer that samples as the configuration says, and its extra arguments."""
        sampling = self.config.sampling
        if sampling.engine == "transformers":
            return CorverTrainer, {}
        settings = SamplingSettings(
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
            max_tokens=sampling.max_completion_tokens,
        )
        return SharedPromptTrainer, {"rollout_func": shared_prompt_rollouts(settings)}

    def _lora(self, policy: Policy) -> LoraConfig | None:
        lora = self.config.policy.lora
        if lora is None:
            return None
        return LoraConfig(
            r=lora.r,
            lora_alpha=lora.alpha,
            lora_dropout=lora.dropout,
            target_modules=list(lora.target_modules),
            layers_to_transform=_top_layers(policy, lora.top_layers),
            task_type="CAUSAL_LM",
        )

    def _summarize(self, raw: Sequence[dict[str, Any]], trained: Sequence[dict[str, Any]]) -> None:
        summary: dict[str, Any] = {
            "questions": len(raw),
            "seconds": self.seconds,
            "fingerprints": self._fingerprints(),
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
        return {
            "index": self.index.fingerprint(),
            "scorer": self.scorer.fingerprint(),
            "credit": self.config.credit.fingerprint(),
        }

    def _fingerprint(self) -> str:
        return self.config.fingerprint()


def _gist(question: Question) -> str:
    """The question without what makes two spellings of it differ: case, punctuation, accents."""
    return " ".join(words(question.question))


def _top_layers(policy: Policy, number: int | None) -> list[int] | None:
    if number is None:
        return None
    layers = policy.model.config.num_hidden_layers
    if number > layers:
        raise ConfigError(f"policy.lora.top_layers={number}: {policy.name} has {layers} layers")
    return list(range(layers - number, layers))


def _claim(folder: RunFolder, config: RunConfig) -> None:
    """Make the folder this run's own, or check that it already is."""
    text = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    if folder.config.exists():
        if folder.config.read_text(encoding="utf-8") != text:
            raise ConfigError(
                f"{folder.path}: holds a run with other settings (see its config.yaml); choose another output folder"
            )
        return
    others = [path.name for path in folder.path.iterdir() if path.name not in (".lock", "evaluation")]
    if others:
        raise ConfigError(f"{folder.path}: is not empty and holds no run ({others[0]}); choose another output folder")
    write_text(folder.config, text)


def _last_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written to its end (the reward state is written last)."""
    found = [path for path in folder.glob("checkpoint-*") if (path / "corver_state.json").exists()]
    return max(found, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
