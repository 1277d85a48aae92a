"""TRL's arguments for a run: the one place where corver's configuration meets GRPOConfig's names.

In: a RunConfig, its folder, the device. Out: a GRPOConfig. Raises ConfigError where numbers do not fit together.
"""

from __future__ import annotations

import torch
from trl import GRPOConfig

from corver.config import OptimizationConfig, RunConfig
from corver.errors import ConfigError
from corver.runs import RunFolder

__all__ = ["grpo_arguments"]


def grpo_arguments(config: RunConfig, folder: RunFolder, *, device: torch.device) -> GRPOConfig:
    """The paper's set-up in TRL's terms: one generation batch of prompts × generations a step."""
    optimization, sampling = config.optimization, config.sampling
    batch, micro = _batch_sizes(optimization)
    return GRPOConfig(
        output_dir=str(folder.checkpoints),
        max_steps=optimization.steps,
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=batch // micro,
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
        optim=optimization.optimizer,
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


def _batch_sizes(optimization: OptimizationConfig) -> tuple[int, int]:
    """Completions a step, and completions a backward pass. Raises ConfigError where they do not fit together."""
    batch = optimization.prompts_per_step * optimization.generations
    micro = optimization.micro_batch or batch
    if batch % micro:
        raise ConfigError(
            f"optimization.micro_batch={micro} does not divide {optimization.prompts_per_step} prompts × "
            f"{optimization.generations} generations = {batch} completions"
        )
    if optimization.save_every % optimization.iterations:
        raise ConfigError(
            f"optimization.save_every={optimization.save_every} must be a multiple of iterations="
            f"{optimization.iterations}: a run can only be taken up where new rollouts are made"
        )
    return batch, micro
