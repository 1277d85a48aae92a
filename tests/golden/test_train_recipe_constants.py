"""The shipped recipes against the training set-up of CorVer, arXiv 2605.29648, and against each other.

Of the table: KL weight β, judge weight λ_j, learning rate (the authors' first release names its own for two models),
questions a step, anchors. The rest is common to all six.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from corver.runs import RunFolder
from corver.train.arguments import grpo_arguments
from corver.train.estimate import KNOWN
from corver.train.recipe import load_recipe, recipe_names

TABLE = {
    "llama-3.2-3b": ("meta-llama/Llama-3.2-3B-Instruct", 0.001, 1.0, 1e-5, 3, 1000),
    "llama-3.1-8b": ("meta-llama/Llama-3.1-8B-Instruct", 0.003, 2.0, 1e-5, 3, 0),
    "qwen3-4b": ("Qwen/Qwen3-4B", 0.01, 1.0, 1e-5, 4, 1000),
    "qwen3-8b": ("Qwen/Qwen3-8B", 0.001, 1.0, 1e-5, 3, 0),
    "qwen3-14b": ("Qwen/Qwen3-14B", 0.001, 1.0, 2.5e-5, 3, 0),
    "olmo-2-13b": ("allenai/OLMo-2-1124-13B-Instruct", 0.001, 1.0, 3e-6, 3, 0),
}


def test_the_six_models_of_the_paper_have_a_recipe() -> None:
    assert recipe_names() == sorted(TABLE)
    assert {model for model, *_ in TABLE.values()} == KNOWN.keys()


@pytest.mark.parametrize("name", list(TABLE))
def test_constants(name: str, tmp_path: Path) -> None:
    config = load_recipe(Path(name), ["--index", "i", "--output", "o"])
    model, beta, lambda_j, rate, prompts, anchors = TABLE[name]
    optimization, lora = config.optimization, config.policy.lora
    assert (config.policy.model, optimization.beta, config.credit.lambda_j) == (model, beta, lambda_j)
    assert (optimization.learning_rate, optimization.prompts_per_step, config.data.anchors) == (rate, prompts, anchors)
    assert (config.credit.lambda_f, config.credit.lambda_c, config.credit.alignment) == (1.0, 1.0, "token")
    assert lora is not None
    assert (lora.r, lora.alpha, lora.dropout, lora.top_layers) == (128, 256, 0.0, None)
    assert set(lora.target_modules) == {
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    }  # fmt: skip
    assert (config.sampling.max_prompt_tokens, config.sampling.max_completion_tokens) == (256, 1000)
    assert (config.sampling.temperature, config.sampling.top_p, config.sampling.top_k) == (1.0, 1.0, 0)
    assert (optimization.generations, optimization.steps, optimization.iterations) == (16, 100, 1)
    assert (optimization.scheduler, optimization.warmup, optimization.weight_decay) == ("cosine", 0.03, 0.01)
    assert (optimization.max_grad_norm, optimization.clip, config.seed) == (1.0, 0.2, 42)
    assert optimization.optimizer == "adamw_bnb_8bit"
    assert (config.reward.window, config.reward.rule, config.reward.levels.rewards) == (
        1000, "first", (-0.3, -0.1, 0.0, 0.1),
    )  # fmt: skip
    assert (config.data.bounds, config.data.zone) == (None, Path.cwd() / f"zone-{name}.jsonl")
    assert [source.split("/")[4] for source in config.data.questions] == ["nq_open", "web_questions"]
    assert all("train-" in source for source in config.data.questions)
    with pytest.warns(UserWarning, match="8bit"):
        given = grpo_arguments(config, RunFolder(tmp_path), device=torch.device("cpu"))
    assert given.generation_batch_size == prompts * 16
    assert given.steps_per_generation == given.gradient_accumulation_steps == prompts * 4


@pytest.mark.parametrize("name", list(TABLE))
def test_what_the_chat_templates_need(name: str) -> None:
    config = load_recipe(Path(name), ["--index", "i", "--output", "o"])
    wanted = {"llama": {"date_string": "26 Jul 2024"}, "qwen3": {"enable_thinking": False}, "olmo": {}}
    assert config.policy.chat_template_kwargs == wanted[name.partition("-")[0]]
