"""What CorverTrainer needs of TRL, frozen: names, parameters and the shapes of what comes back.

`make canary` runs this and the trainer's tests against the oldest and the newest version of TRL that are supported.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import torch
import trl
from packaging.requirements import Requirement
from packaging.version import Version
from trl import GRPOConfig, GRPOTrainer

from corver.train.trl import CorverTrainer
from trainers import HashedReward, ended, make_trainer

ROOT = Path(__file__).parents[2]
ASKED = (("Where was Marie Curie born?", ["Warsaw"]), ("Where was Newton born?", ["Woolsthorpe"]))
TEXTS = (
    ended("<think>Marie Curie left.</think> <answer>Warsaw</answer>"),
    ended("It was Ulm."),
    "It was cut",
    ended(""),
)


def parameters(method: Any) -> list[str]:
    return list(inspect.signature(inspect.unwrap(method)).parameters)


def test_the_methods_that_are_overridden_take_what_they_took() -> None:
    assert parameters(GRPOTrainer._calculate_rewards) == [
        "self", "inputs", "prompts", "completions", "completion_ids_list",
    ]  # fmt: skip
    assert parameters(GRPOTrainer._generate_and_score_completions) == ["self", "inputs"]
    assert parameters(GRPOTrainer._generate)[:2] == ["self", "prompts"]
    assert parameters(GRPOTrainer._get_train_sampler)[:2] == ["self", "dataset"]
    assert parameters(GRPOTrainer._load_from_checkpoint)[:2] == ["self", "resume_from_checkpoint"]
    assert parameters(GRPOTrainer._load_optimizer_and_scheduler) == ["self", "checkpoint"]
    assert parameters(GRPOTrainer._load_rng_state) == ["self", "checkpoint"]


def test_no_other_method_of_trl_is_overridden() -> None:
    own = {name for name, value in vars(CorverTrainer).items() if callable(value)}
    assert own & {name for kind in GRPOTrainer.__mro__ for name in vars(kind)} == {
        "__init__", "train", "_generate", "_calculate_rewards", "_generate_and_score_completions", "_get_train_sampler",
        "_load_from_checkpoint", "_load_optimizer_and_scheduler", "_load_rng_state",
    }  # fmt: skip


def test_settings_that_are_read_are_there() -> None:
    fields = {"scale_rewards", "multi_objective_aggregation", "reward_weights", "num_generations", "loss_type",
              "mask_truncated_completions", "importance_sampling_level", "steps_per_generation"}  # fmt: skip
    assert fields <= set(GRPOConfig.__dataclass_fields__)


class Watched(GRPOTrainer):
    """TRL's own trainer; keeps what goes in and out of the methods."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seen: dict[str, Any] = {}

    def _generate(self, prompts: list[Any], *args: Any, **kwargs: Any) -> Any:
        self.seen["generated"] = super()._generate(prompts, *args, **kwargs)
        return self.seen["generated"]

    def _calculate_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids_list: Any) -> Any:
        rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        self.seen |= {"inputs": inputs, "prompts": prompts, "ids": completion_ids_list, "rewards": rewards}
        return rewards

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self.seen["output"] = super()._generate_and_score_completions(inputs)
        return self.seen["output"]


def test_what_the_methods_give(tmp_path: Path) -> None:
    trainer, _ = make_trainer(
        tmp_path, lambda question, place: TEXTS[place], ASKED, kind=Watched, changes={"max_steps": 1}
    )
    trainer.train()
    seen = trainer.seen
    assert [list(ids) for ids in seen["generated"][1]] == [list(ids) for ids in seen["ids"]]
    assert len(seen["ids"]) == len(seen["inputs"]) == len(seen["prompts"]) == 8
    assert {"prompt", "question", "answers"} <= seen["inputs"][0].keys()
    assert seen["rewards"].shape == (8, 2)
    output = seen["output"]
    assert output["advantages"].shape == (8,)
    assert output["completion_mask"].shape == output["completion_ids"].shape
    assert output["completion_ids"].shape[0] == 8
    assert {"advantages"} <= trainer._logs.keys()
    assert set(trainer._metrics) == {"train", "eval"}


def test_the_loss_takes_an_advantage_a_token(tmp_path: Path) -> None:
    """Doubling the advantage of a token doubles its share of the loss; nothing of it is lost or averaged first."""
    trainer, _ = make_trainer(
        tmp_path, lambda question, place: TEXTS[place], ASKED, changes={"max_steps": 1}, reward=HashedReward()
    )
    trainer.train()
    batch = trainer._buffered_inputs[0]
    assert batch["advantages"].shape == batch["completion_mask"].shape
    losses = []
    for factor in (0.0, 1.0, 2.0):
        own = dict(batch)
        own["advantages"] = batch["advantages"].clone()
        own["advantages"][:, 1:] = 0.0
        own["advantages"][:, 0] = factor
        with torch.no_grad():
            losses.append(float(trainer._compute_loss(trainer.model, own)))
    np.testing.assert_allclose(losses[2] - losses[0], 2 * (losses[1] - losses[0]), rtol=1e-4)
    assert losses[1] != losses[0]


def test_the_installed_version_is_a_supported_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (wanted,) = [Requirement(line) for line in project["optional-dependencies"]["train"] if re.match(r"trl\b", line)]
    assert Version(trl.__version__) in wanted.specifier
