"""The defaults are the constants of CorVer, arXiv 2605.29648: levels, weights and the training set-up of its appendix.

What corver sets otherwise on purpose stands in the last test.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from corver.config import CreditConfig, FormatConfig, JudgeConfig, RewardConfig, RunConfig
from corver.evaluate.questions import Question
from corver.runs import RunFolder
from corver.train.arguments import grpo_arguments
from corver.train.zone import ZoneRow, in_zone


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    return RunConfig.model_validate(
        {"output": tmp_path, "index": "i", "policy": {"model": "m"}, "data": {"questions": "q"}}
    )


def test_sentence_reward() -> None:
    reward = RewardConfig()
    assert reward.levels.thresholds == (1, 5, 20)
    assert reward.levels.rewards == (-0.3, -0.1, 0.0, 0.1)
    assert reward.window == 1000
    assert reward.rule == "first"
    assert reward.support == "paper"


def test_response_reward() -> None:
    judge, form, credit = JudgeConfig(), FormatConfig(), CreditConfig()
    assert (judge.correct, judge.wrong, judge.not_attempted) == (2.0, -1.0, -1.0)
    assert (form.good, form.bad) == (1.0, -1.0)
    assert (form.length_penalty, form.length_limit) == (False, 512)
    assert (credit.lambda_j, credit.lambda_f, credit.lambda_c) == (1.0, 1.0, 1.0)
    assert credit.alignment == "token"
    assert credit.advantage.scale == "group"
    assert credit.advantage.epsilon == 1e-4


def test_training(config: RunConfig) -> None:
    lora, sampling, optimization = config.policy.lora, config.sampling, config.optimization
    assert lora is not None
    assert (lora.r, lora.alpha, lora.dropout, lora.top_layers) == (128, 256, 0.0, None)
    assert set(lora.target_modules) == {
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    }  # fmt: skip
    assert (sampling.max_prompt_tokens, sampling.max_completion_tokens) == (256, 1000)
    assert (sampling.temperature, sampling.top_p, sampling.top_k) == (1.0, 1.0, 0)
    assert (optimization.steps, optimization.prompts_per_step, optimization.generations) == (100, 3, 16)
    assert (optimization.learning_rate, optimization.scheduler, optimization.warmup) == (1e-5, "cosine", 0.03)
    assert (optimization.weight_decay, optimization.max_grad_norm, optimization.clip) == (0.01, 1.0, 0.2)
    assert optimization.beta == 0.001
    assert config.seed == 42
    rows = [ZoneRow(str(number), number, 16, 1.0) for number in range(17)]
    asked = [Question(row.id, "?", ("yes",)) for row in rows]
    assert [row.id for row in in_zone(asked, rows, bounds=config.data.bounds)] == [str(n) for n in range(1, 16)]


def test_trl_is_given_those_constants(config: RunConfig, tmp_path: Path) -> None:
    import torch

    given = grpo_arguments(config, RunFolder(tmp_path), device=torch.device("cpu"))
    assert given.max_steps == 100
    assert given.num_generations == 16
    assert given.generation_batch_size == 48
    assert (given.learning_rate, given.weight_decay, given.max_grad_norm) == (1e-5, 0.01, 1.0)
    assert given.get_warmup_steps(100) == 3
    assert str(given.lr_scheduler_type.value) == "cosine"
    assert (given.epsilon, given.beta, given.temperature) == (0.2, 0.001, 1.0)
    assert given.max_completion_length == 1000
    assert given.scale_rewards == "group"
    assert given.reward_weights == [1.0, 1.0]
    assert given.seed == 42


def test_what_corver_sets_otherwise(config: RunConfig) -> None:
    assert config.credit.silence == "neutral"  # the paper's 0 teaches silence
    assert (config.credit.advantage.std_floor, config.credit.advantage.cap) == (0.1, 10.0)  # the paper: none
    assert config.optimization.optimizer == "adamw_torch"  # the paper: 8-bit AdamW, which needs a GPU library
    assert config.reward.repetition_guard
