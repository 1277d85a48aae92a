"""One trial: an arm trained on one world by the product's trainer, and what it was worth before and after.

In: a prepared world (index, model, zone), an arm, a seed. Out: a JSON-ready result: tallies against the truth, by set,
by quartile of popularity, and over the steps of training. This module writes no file of its own.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arms import Arm, Setup
from datasets import Dataset
from measure import Tally, tally
from pretrain import chat
from sampler import fast_rollouts, sample
from transformers import PrinterCallback, TrainerCallback, set_seed
from trl import GRPOConfig
from world import Question, World

from corver.config import PolicyConfig
from corver.credit.appeals import AppealJudge
from corver.index import Index
from corver.policy.generate import SamplingSettings
from corver.policy.load import Policy, load_policy
from corver.policy.tokens import detokenizer_of
from corver.reward.build import build_scorer
from corver.reward.scorer import CooccurrenceReward
from corver.train.rewards import format_function, judge_function
from corver.train.shared_prompt import SharedPromptTrainer

__all__ = ["StepLog", "answer", "evaluate", "load", "make_trainer", "run_trial", "timed"]

SETS = ("train", "heldout_fact", "heldout_person")
LOGGED = ("completions/mean_length", "corver/reward_seconds", "rewards/judge/mean", "rewards/format/mean",
          "corver/sentence_reward", "corver/claims", "corver/no_claim_share", "corver/repeated_share",
          "corver/silence_value", "corver/claim_bonus", "entropy", "grad_norm", "corver/advantage_max")  # fmt: skip
BATCH = 128


def load(folder: Path) -> Policy:
    """The pretrained policy in float32 on the CPU."""
    return load_policy(PolicyConfig(model=str(folder), dtype="float32", device="cpu"))


def answer(
    policy: Policy, questions: Sequence[Question], *, rule: bool, setup: Setup, temperature: float
) -> list[tuple[str, int, bool]]:
    """(completion, tokens, whether it was cut off) of each question."""
    detokenize = detokenizer_of(policy.tokenizer, ids=policy.model.config.vocab_size)
    settings = SamplingSettings(temperature=temperature, max_tokens=setup.max_tokens)
    found: list[tuple[str, int, bool]] = []
    for start in range(0, len(questions), BATCH):
        prompts = [
            policy.tokenizer.apply_chat_template(
                chat(question.text, rule=rule), add_generation_prompt=True, return_dict=False
            )
            for question in questions[start : start + BATCH]
        ]
        found += [
            (detokenize(ids).text, len(ids), cut)
            for ids, cut in sample(policy.model, policy.tokenizer, prompts, settings)
        ]
    return found


def evaluate(policy: Policy, world: World, *, rule: bool, setup: Setup) -> dict[str, Any]:
    """Tallies by set, and by set and quartile: greedy answers to all questions, `setup.answers` sampled ones to each of
    the held-out."""
    result: dict[str, Any] = {}
    for name, temperature, times in (("greedy", 0.0, 1), ("sampled", setup.temperature, setup.answers)):
        set_seed(world.seed)
        asked = [q for q in world.questions if temperature == 0 or q.split != "train"] * times
        rows = answer(policy, asked, rule=rule, setup=setup, temperature=temperature)
        tallies: dict[str, Tally] = {}
        for question, (text, tokens, cut) in zip(asked, rows, strict=True):
            one = tally([text], [[question.answer]], [tokens], world.truths, cut_off=[cut])
            for key in (question.split, f"{question.split}/{question.quartile}"):
                tallies[key] = tallies.get(key, Tally()) + one
        result[name] = {key: value.to_json() for key, value in tallies.items()}
        result[f"{name}_examples"] = [text for text, _, _ in rows[:: len(rows) // 6]]
    return result


def run_trial(
    world: World, folder: Path, questions: Sequence[Question], arm: Arm, *, seed: int, setup: Setup, scratch: Path,
    neutral: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Train and evaluate. folder: of the world. questions: those to train on. neutral: Z of profile support."""
    policy = load(folder / "model")
    set_seed(seed)
    log = StepLog(LOGGED)
    curve: list[dict[str, int]] = []
    golds = {question.text: [question.answer] for question in questions}

    def record(step: int, rollouts: Any, scores: Any, responses: Any) -> None:
        texts = [rollout.completion for rollout in rollouts]
        answers = [golds[rollout.question] for rollout in rollouts]
        curve.append(tally(texts, answers, [0] * len(texts), world.truths).to_json())

    rows = [
        {"prompt": chat(question.text, rule=arm.rule), "question": question.text, "answers": [question.answer]}
        for question in questions
    ]
    with Index.open(folder / "index") as index:
        reward = CooccurrenceReward(build_scorer(arm.reward_config(neutral=neutral), index=index))
        trainer = make_trainer(policy, rows, arm, reward, log, record, seed=seed, setup=setup, scratch=scratch)
        took = timed(trainer)
    return {
        **took,
        "reward_seconds": round(sum(row.get("corver/reward_seconds") or 0.0 for row in log.rows), 3),
        "questions": len(questions),
        "scorer": reward.fingerprint(),
        "curve": [{**row, **told} for row, told in zip(log.rows, curve, strict=True)],
        "evaluation": evaluate(policy, world, rule=arm.rule, setup=setup),
    }


class StepLog(TrainerCallback):
    """Keeps the named metrics of the trainer's log, a row a step."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.rows: list[dict[str, float]] = []

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        if logs and "train_runtime" not in logs:
            self.rows.append({name: round(float(logs[name]), 5) for name in self._names if logs.get(name) is not None})


def timed(trainer: SharedPromptTrainer) -> dict[str, float]:
    """Train; the seconds of it by the wall and by the processor."""
    began, cpu = time.monotonic(), time.process_time()
    trainer.train()
    return {
        "seconds": round(time.monotonic() - began, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
    }


def make_trainer(
    policy: Policy, rows: Sequence[Mapping[str, Any]], arm: Arm, reward: CooccurrenceReward, log: StepLog,
    record: Callable[..., None], *, seed: int, setup: Setup, scratch: Path, appeal_judge: AppealJudge | None = None,
) -> SharedPromptTrainer:  # fmt: skip
    """The product's trainer on rows of prompt, question and answers; it samples by the experiment's own sampler."""
    credit, rewards = arm.credit_config(setup), arm.reward_config()
    settings = SamplingSettings(temperature=setup.temperature, max_tokens=setup.max_tokens)
    arguments = _arguments(credit.lambda_j, credit.lambda_f, seed=seed, setup=setup, scratch=scratch)
    arguments.scale_rewards = credit.advantage.scale
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="You are using 'rollout_func'")
        trainer = SharedPromptTrainer(
            model=policy.model,
            processing_class=policy.tokenizer,
            reward_funcs=[judge_function(rewards.judge), format_function(rewards.format)],
            args=arguments,
            train_dataset=Dataset.from_list(list(rows)),
            callbacks=[log],
            sentence_reward=reward,
            credit=credit,
            appeal_judge=appeal_judge,
            record=record,
            rollout_func=fast_rollouts(settings),
        )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _arguments(lambda_j: float, lambda_f: float, *, seed: int, setup: Setup, scratch: Path) -> GRPOConfig:
    return GRPOConfig(
        output_dir=str(scratch),
        max_steps=setup.steps,
        per_device_train_batch_size=setup.prompts * setup.generations,
        num_generations=setup.generations,
        max_completion_length=setup.max_tokens,
        temperature=setup.temperature,
        learning_rate=setup.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.03,
        weight_decay=0.01,
        max_grad_norm=1.0,
        loss_type="dapo",
        beta=0.0,
        reward_weights=[lambda_j, lambda_f],
        gradient_checkpointing=False,
        save_strategy="no",
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        remove_unused_columns=False,
        dataloader_pin_memory=False,
        seed=seed,
        data_seed=seed,
    )
