"""TRL's arguments for a run: the one place where corver's configuration meets GRPOConfig's names.

In: a RunConfig, its folder, the device, the number of processes. Out: a GRPOConfig, or the batch's arithmetic alone.
Raises ConfigError where settings do not fit together, whatever the model is.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec

import torch
from trl import GRPOConfig

from corver.config import OptimizationConfig, RunConfig
from corver.errors import ConfigError, CorverWarning
from corver.runs import RunFolder
from corver.train.verifier import verifier_column

__all__ = ["BatchSizes", "batch_sizes", "check_settings", "grpo_arguments", "usable_optimizer"]


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """completions: of one step, over all processes. micro: of one backward pass of one process. passes: backward passes
    of a process in one step."""

    completions: int
    micro: int
    passes: int


def check_settings(config: RunConfig, *, processes: int = 1) -> None:
    """Raise ConfigError for what training would refuse whatever the model is: nothing is to be evaluated before."""
    batch_sizes(config.optimization, processes=processes)
    if config.sampling.engine == "shared_prompt" and processes > 1:
        raise ConfigError(f"sampling.engine=shared_prompt serves one process, found {processes}; use transformers")
    if config.credit.noise is not None:
        verifier_column(config.credit.noise.verifier, _REWARD_FUNCTIONS)


_REWARD_FUNCTIONS = ("judge", "format")
"""Names of a run's reward functions (`corver.train.rewards`)."""


def grpo_arguments(config: RunConfig, folder: RunFolder, *, device: torch.device, processes: int = 1) -> GRPOConfig:
    """The paper's set-up in TRL's terms: one generation batch of prompts × generations a step."""
    optimization, sampling = config.optimization, config.sampling
    sizes = batch_sizes(optimization, processes=processes)
    optimizer, shortfall = usable_optimizer(optimization.optimizer, device)
    if shortfall is not None:
        warnings.warn(shortfall, CorverWarning, stacklevel=2)
    return GRPOConfig(
        output_dir=str(folder.checkpoints),
        max_steps=optimization.steps,
        per_device_train_batch_size=sizes.micro,
        gradient_accumulation_steps=sizes.passes,
        num_generations=optimization.generations,
        num_iterations=optimization.iterations,
        max_completion_length=sampling.max_completion_tokens,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k,
        learning_rate=optimization.learning_rate,
        lr_scheduler_type=optimization.scheduler,
        warmup_steps=optimization.warmup,
        weight_decay=optimization.weight_decay,
        max_grad_norm=optimization.max_grad_norm,
        optim=optimizer,
        loss_type=optimization.loss_type,
        beta=optimization.beta,
        epsilon=optimization.clip,
        scale_rewards=config.credit.advantage.scale,
        reward_weights=[config.credit.lambda_j, config.credit.lambda_f],
        gradient_checkpointing=optimization.gradient_checkpointing,
        chat_template_kwargs=dict(config.policy.chat_template_kwargs) or None,
        save_strategy="steps",
        save_steps=optimization.save_every,
        save_total_limit=2,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        use_cpu=device.type == "cpu",
        bf16=False,
        fp16=False,
        seed=config.seed,
        data_seed=config.seed,
        remove_unused_columns=False,
        dataloader_pin_memory=device.type == "cuda",
        log_completions=False,
    )


def batch_sizes(optimization: OptimizationConfig, *, processes: int = 1) -> BatchSizes:
    """The arithmetic of a step. Raises ConfigError where its numbers do not fit together."""
    batch = optimization.prompts_per_step * optimization.generations
    whole = f"{optimization.prompts_per_step} prompts × {optimization.generations} generations = {batch} completions"
    if batch % processes:
        raise ConfigError(f"{whole} cannot be shared by {processes} processes")
    share = batch // processes
    micro = optimization.micro_batch or share
    if share % micro:
        each = f", {share} in each of {processes} processes" if processes > 1 else ""
        raise ConfigError(f"optimization.micro_batch={micro} does not divide {whole}{each}")
    if optimization.save_every % optimization.iterations:
        raise ConfigError(
            f"optimization.save_every={optimization.save_every} must be a multiple of iterations="
            f"{optimization.iterations}: a run can only be taken up where new rollouts are made"
        )
    return BatchSizes(batch, micro, share // micro)


def usable_optimizer(wanted: str, device: torch.device) -> tuple[str, str | None]:
    """The optimizer that this machine can run, and one line when it is not the one that is wanted."""
    if wanted != "adamw_bnb_8bit":
        return wanted, None
    lacking = "a CUDA device" if device.type != "cuda" else None
    if lacking is None and find_spec("bitsandbytes") is None:
        lacking = "the package bitsandbytes (pip install bitsandbytes)"
    if lacking is None:
        return wanted, None
    return "adamw_torch", (
        f"optimization.optimizer: adamw_bnb_8bit needs {lacking}; training with adamw_torch, whose state takes 8 bytes "
        "a trained weight instead of 2"
    )
