"""A run's trainer: data set, adapters, reward functions and sampling engine as the configuration says.

In: a RunConfig, a policy, questions, a sentence reward. Out: a CorverTrainer, ready to train. This module knows no run
folder beyond the arguments' output path, and runs nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from datasets import Dataset
from peft import LoraConfig
from transformers import PrinterCallback

from corver.config import RunConfig
from corver.errors import ConfigError
from corver.evaluate.questions import Question
from corver.policy.generate import SamplingSettings, encode_prompt
from corver.policy.load import Policy
from corver.policy.prompts import prompt_messages, prompts_open_think
from corver.runs import RunFolder
from corver.train.appeals import build_appeal_judge
from corver.train.arguments import check_settings, grpo_arguments
from corver.train.rewards import format_function, judge_function
from corver.train.shared_prompt import SharedPromptTrainer, shared_prompt_rollouts
from corver.train.trl import CorverTrainer
from corver.types import SentenceReward

__all__ = ["build_trainer", "fitting_questions", "lora_config"]


def build_trainer(
    config: RunConfig,
    folder: RunFolder,
    policy: Policy,
    questions: Sequence[Question],
    *,
    sentence_reward: SentenceReward,
    fingerprints: dict[str, str],
    callbacks: Sequence[Any] = (),
    record: Any | None = None,
    processes: int = 1,
) -> CorverTrainer:
    """The trainer of a run. Raises ConfigError for settings that do not fit together or this model."""
    check_settings(config, processes=processes)
    kind, rollouts = _engine(config, processes)
    arguments = grpo_arguments(config, folder, device=policy.device, processes=processes)
    settings, appeals = config.policy, config.credit.appeals
    opened = prompts_open_think(
        policy.tokenizer, [prompt_messages("?", prompt=settings.prompt)], settings.chat_template_kwargs
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="You are using 'rollout_func'")
        trainer = kind(
            model=policy.model,
            processing_class=policy.tokenizer,
            reward_funcs=[
                judge_function(config.reward.judge),
                format_function(config.reward.format, think_opened=opened),
            ],
            args=arguments,
            train_dataset=_dataset(config, questions),
            peft_config=lora_config(config, policy),
            callbacks=list(callbacks),
            sentence_reward=sentence_reward,
            credit=config.credit,
            appeal_judge=None if appeals is None else build_appeal_judge(appeals, device=settings.device),
            record=record,
            # A checkpoint of one optimiser is none of another.
            fingerprints={**fingerprints, "optimizer": str(arguments.optim.value)},
            overlap=config.optimization.overlap_rewards,
            **rollouts,
        )
    if trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled:
        raise ConfigError("a run shares a whole model among its processes; with FSDP or DeepSpeed use CorverTrainer")
    trainer.remove_callback(PrinterCallback)
    return trainer


def fitting_questions(config: RunConfig, policy: Policy, questions: Sequence[Question]) -> list[Question]:
    """The questions whose prompt keeps to sampling.max_prompt_tokens. Raises ConfigError when none does."""
    settings, most = config.policy, config.sampling.max_prompt_tokens

    def tokens(question: Question) -> int:
        template = settings.chat_template_kwargs
        return len(encode_prompt(policy, question.question, prompt=settings.prompt, template=template))

    fitting = [question for question in questions if tokens(question) <= most]
    if not fitting:
        raise ConfigError(f"sampling.max_prompt_tokens={most}: every prompt is longer")
    return fitting


def _dataset(config: RunConfig, questions: Sequence[Question]) -> Dataset:
    return Dataset.from_list(
        [
            {
                "prompt": prompt_messages(question.question, prompt=config.policy.prompt),
                "question": question.question,
                "answers": list(question.answers),
            }
            for question in questions
        ]
    )


def _engine(config: RunConfig, processes: int) -> tuple[type[CorverTrainer], dict[str, Any]]:
    """The trainer that samples as the configuration says, and its extra arguments."""
    sampling = config.sampling
    if sampling.engine == "transformers" or processes > 1:
        return CorverTrainer, {}
    settings = SamplingSettings(
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k,
        max_tokens=sampling.max_completion_tokens,
    )
    return SharedPromptTrainer, {"rollout_func": shared_prompt_rollouts(settings)}


def lora_config(config: RunConfig, policy: Policy) -> LoraConfig | None:
    """The adapters to train, None for all weights. Raises ConfigError for more layers than the model has."""
    lora = config.policy.lora
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


def _top_layers(policy: Policy, number: int | None) -> list[int] | None:
    if number is None:
        return None
    layers = policy.model.config.num_hidden_layers
    if number > layers:
        raise ConfigError(f"policy.lora.top_layers={number}: {policy.name} has {layers} layers")
    return list(range(layers - number, layers))
