"""Everything that a training run depends on.

In: values. Out: a checked `RunConfig`. The defaults of the training are those of arXiv 2605.29648.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, Field, field_validator, model_validator

from corver.config.base import ConfigModel, Fraction, Positive
from corver.config.credit import CreditConfig
from corver.config.policy import PolicyConfig, SamplingConfig
from corver.config.reward import RewardConfig

__all__ = ["DataConfig", "EvaluationConfig", "OptimizationConfig", "RunConfig"]


class DataConfig(ConfigModel):
    """Questions to train on: files or `hf://datasets/…` addresses, one or several; split: keep rows whose `split` field
    equals it.

    exclude: files and addresses of questions that must not be trained on, besides those of the evaluation.
    zone: JSONL made by `corver zone`; only prompts with bounds[0] … bounds[1] right samples are kept (null: neither
    none nor all, the paper's 1 … 15 of 16), and up to `anchors` prompts that were always answered right are added.
    limit: of all these, keep so many, drawn by a hash.
    Questions of the evaluation are left out first.
    """

    questions: Annotated[tuple[str, ...], Field(min_length=1)]
    exclude: tuple[str, ...] = ()
    split: str | None = None
    limit: Annotated[int, Field(gt=0)] | None = None
    zone: Path | None = None
    bounds: tuple[int, int] | None = None
    anchors: Annotated[int, Field(ge=0)] = 0

    @field_validator("questions", "exclude", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        several = value if isinstance(value, list | tuple) else [value]
        return [str(one) if isinstance(one, Path) else one for one in several]


class OptimizationConfig(ConfigModel):
    """GRPO settings; the defaults are the paper's (arXiv 2605.29648, training set-up).

    time_limit: minutes of training, over all sittings of the run, after which it ends before `steps`.
    overlap_rewards: score in a thread of its own while the log-probabilities of the old and the reference policy are
    computed.
    """

    steps: Annotated[int, Field(gt=0)] = 100
    time_limit: Positive | None = None
    prompts_per_step: Annotated[int, Field(gt=0)] = 3
    generations: Annotated[int, Field(ge=2)] = 16
    micro_batch: Annotated[int, Field(gt=0)] | None = None
    iterations: Annotated[int, Field(gt=0)] = 1
    learning_rate: Positive = 1e-5
    scheduler: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    warmup: Fraction = 0.03
    weight_decay: Annotated[float, Field(ge=0)] = 0.01
    max_grad_norm: Positive = 1.0
    optimizer: Literal["adamw_torch", "adamw_bnb_8bit"] = "adamw_torch"
    loss_type: Literal["grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "vespo", "luspo"] = "dapo"
    beta: Annotated[float, Field(ge=0)] = 0.001
    clip: Positive = 0.2
    gradient_checkpointing: bool = True
    overlap_rewards: bool = False
    save_every: Annotated[int, Field(gt=0)] = 20


class EvaluationConfig(ConfigModel):
    """Questions never trained on, answered greedily by the raw and by the trained model with the same prompt."""

    questions: Path
    split: str | None = None
    limit: Annotated[int, Field(gt=0)] | None = None
    batch: Annotated[int, Field(gt=0)] = 32
    max_completion_tokens: Annotated[int, Field(gt=0)] | None = None
    bootstrap: Annotated[int, Field(ge=100)] = 10_000


Ablation: TypeAlias = Literal["none", "no_cooccurrence", "no_judge", "no_alignment", "no_zone"]
_ABLATIONS: dict[str, tuple[Ablation, str, dict[str, Any]]] = {
    "A1": ("no_cooccurrence", "credit", {"lambda_c": 0.0}),
    "A2": ("no_judge", "credit", {"lambda_j": 0.0}),
    "A3": ("no_alignment", "credit", {"alignment": "response"}),
    "A4": ("no_zone", "data", {"zone": None, "bounds": None, "anchors": 0}),
}
"""The paper's names, corver's, and what each switch sets."""


class RunConfig(ConfigModel):
    """Everything a training run depends on.

    ablation: one of the paper's, by its name (A1 … A4) or by what is left out; it overrides the settings that it is
    about: A1 no co-occurrence reward, A2 no judge, A3 the sentence rewards spread evenly over the response, A4 no
    learning zone.
    """

    ablation: Ablation = "none"
    output: Path
    index: Path
    policy: PolicyConfig
    data: DataConfig
    reward: RewardConfig = RewardConfig()
    credit: CreditConfig = CreditConfig()
    sampling: SamplingConfig = SamplingConfig()
    optimization: OptimizationConfig = OptimizationConfig()
    evaluation: EvaluationConfig | None = None
    seed: Annotated[int, Field(ge=0)] = 42
    threads: Annotated[int, Field(gt=0)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _ablate(cls, raw: Any) -> Any:
        wanted = raw.get("ablation") if isinstance(raw, dict) else None
        for letter, (name, section, values) in _ABLATIONS.items():
            if wanted in (letter, name):
                below = raw.get(section) or {}
                below = below.model_dump(exclude_unset=True) if isinstance(below, BaseModel) else below
                changed = {**below, **values} if isinstance(below, dict) else below
                return {**raw, "ablation": name, section: changed}
        return raw

    @field_validator("ablation", mode="before")
    @classmethod
    def _known_ablation(cls, value: Any) -> Any:
        if value not in get_args(Ablation):
            known = [f"{letter} ({name})" for letter, (name, *_) in _ABLATIONS.items()]
            raise ValueError(f"no such ablation: {value!r}; there are none, {', '.join(known)}")
        return value

    @model_validator(mode="after")
    def _noise_fits(self) -> Self:
        noise, appeals, judge = self.credit.noise, self.credit.appeals, self.reward.judge
        if noise is not None and noise.correction != "off" and self.credit.advantage.scale != "none":
            raise ValueError(
                f"credit.advantage.scale: {self.credit.advantage.scale} would undo credit.noise; set it to none "
                "(credit.noise.scale sets the scale)"
            )
        if (noise is not None or appeals is not None) and judge.wrong != judge.not_attempted:
            raise ValueError(
                "reward.judge: credit.noise and credit.appeals need a judge with two rewards, but wrong and "
                "not_attempted differ"
            )
        if appeals is not None and appeals.judge == judge.rule:
            raise ValueError(f"credit.appeals.judge: {judge.rule} is the judge itself (reward.judge.rule)")
        return self
