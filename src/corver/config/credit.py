"""Settings of credit: the weights of the reward's parts, the advantage, and what is done about a verifier that errs.

In: values. Out: checked models. Sources: arXiv 2605.29648 (return and advantage), arXiv 2510.00915 (noise).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from corver.config.base import ConfigModel, Fraction, Positive
from corver.config.endpoint import EndpointConfig

__all__ = ["AdvantageConfig", "AppealsConfig", "CreditConfig", "NoiseConfig"]


class AdvantageConfig(ConfigModel):
    """Group baseline and scale.

    scale: `group` divides by the sample standard deviation of the group's completion means (paper), `batch` by that of
    the whole batch, `none` not at all. std_floor: least standard deviation, in reward units; cap: greatest |A|. Either
    may be null; both null is the published rule, which explodes when a group's means are almost equal.
    """

    scale: Literal["group", "batch", "none"] = "group"
    epsilon: Annotated[float, Field(ge=0)] = 1e-4
    std_floor: Annotated[float, Field(ge=0)] | None = 0.1
    cap: Positive | None = 10.0


class NoiseConfig(ConfigModel):
    """The judge as a verifier that errs at known rates (arXiv 2510.00915); needs `credit.advantage.scale: none`.

    correction: `backward` (needs ρ0 and ρ1), `forward` (needs ρ1), `none` (the matched control: same baseline and
    scale), or `appealed`, which weighs appealed completions up instead of trusting rates and needs `credit.appeals`.
    `off` leaves the ordinary advantage, for appeals that only flip verdicts.
    verifier: the name of the reward function that is corrected. values: what it pays for a rejected and an accepted
    completion; null is 0 and 1, and in a run the values of `reward.judge`. false_positive, false_negative: ρ0 and ρ1;
    or rates: a file of `corver noise measure`. scale: what advantages are divided by, in reward units: a number, or
    `running`, a slow mean of the spread within groups. sentences: a file of sentence rates; the rewards of the levels
    become those that are right in the mean; alone, it means `correction: off`.
    """

    correction: Literal["off", "none", "backward", "forward", "appealed"] = "backward"
    verifier: str = "judge"
    values: tuple[float, float] | None = None
    false_positive: Annotated[float, Field(ge=0, lt=1)] | None = None
    false_negative: Annotated[float, Field(ge=0, lt=1)] | None = None
    rates: Path | None = None
    scale: Positive | Literal["running"] = "running"
    sentences: Path | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        numbers = (self.false_positive, self.false_negative)
        if self.rates is not None and numbers != (None, None):
            raise ValueError("rates names a file, so false_positive and false_negative must not be given too")
        if sum(number or 0.0 for number in numbers) >= 1:
            raise ValueError("false_positive + false_negative >= 1: such a verifier says nothing about what is right")
        if self.values is not None and self.values[0] >= self.values[1]:
            raise ValueError("values are what a rejected and an accepted completion get, the second being more")
        return self


class AppealsConfig(ConfigModel):
    """A better judge looks at some verdicts again; this flips them and estimates the verifier's error rates.

    judge: `lenient` is corver's string judge, `endpoint` a model behind an address, `model` a local model.
    reads: it sees the `<answer>` block, or the whole completion. q: chance of
    a rejected completion to be appealed; q_accepted: of an accepted one, which estimates ρ0 too. budget: most calls a
    batch. flip: the decision replaces the verdict; estimate: it feeds the rates. prior, decay, average: of the
    estimator. judge_false_positive, judge_false_negative: the better judge's own errors. endpoint; model: a folder or
    hub id.
    reading: of a local model, the `first_token` or a generated `reply`. prompt: `tinyv` or `plain`. max_cost: most to
    spend, in the currency of the prices; required where prices are known.
    """

    judge: Literal["lenient", "endpoint", "model"] = "lenient"
    reads: Literal["answer", "completion"] = "answer"
    q: Fraction = 0.1
    q_accepted: Fraction = 0.0
    budget: Annotated[int, Field(ge=1)] | None = None
    flip: bool = True
    estimate: bool = True
    prior: tuple[Positive, Positive] = (1e-5, 1e-5)
    decay: Annotated[float, Field(ge=0, lt=1)] = 0.9
    average: Literal["counts", "ratio"] = "counts"
    judge_false_positive: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    judge_false_negative: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    endpoint: EndpointConfig | None = None
    model: str | None = None
    reading: Literal["first_token", "reply"] = "first_token"
    prompt: Literal["tinyv", "plain"] = "tinyv"
    max_cost: Annotated[float, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, section in (("endpoint", self.endpoint), ("model", self.model)):
            if (self.judge == name) != (section is not None):
                raise ValueError(f"judge: {name} and the setting {name} belong together")
        prices = (self.endpoint.input_price, self.endpoint.output_price) if self.endpoint else (None, None)
        if (None not in prices) != (self.max_cost is not None):
            raise ValueError(
                "max_cost and both prices of the endpoint belong together: nothing is paid without a limit"
            )
        return self


class CreditConfig(ConfigModel):
    """Weights of the reward's parts and what they are laid on.

    alignment: `token` lays a sentence's reward on its own tokens, `response` spreads the same total evenly (ablation
    A3). silence: `neutral` makes a sentence without a claim, and every token outside sentences, worth exactly what an
    average claim of its group is worth; `first_policy` what one of the first policy was worth; `paper` keeps the
    published 0, under which saying nothing beats an average claim. claim_floor: share of the first policy's claims a
    completion below which claims earn a bonus, null for none; not with `paper`. reference: the first policy's mean
    claim reward, or null to measure it. reference_batches: on so many batches the first policy's claims are measured.
    noise, appeals: the judge errs, and what is done about it.
    """

    lambda_j: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    lambda_f: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    lambda_c: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    alignment: Literal["token", "response"] = "token"
    silence: Literal["neutral", "first_policy", "paper"] = "neutral"
    claim_floor: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)] | None = 1.0
    reference: float | None = None
    reference_batches: Annotated[int, Field(ge=1)] = 4
    advantage: AdvantageConfig = AdvantageConfig()
    noise: NoiseConfig | None = None
    appeals: AppealsConfig | None = None

    @model_validator(mode="before")
    @classmethod
    def _levels_alone(cls, values: Any) -> Any:
        """A file of sentence rates and nothing else corrects no judge."""
        noise = values.get("noise") if isinstance(values, dict) else None
        if isinstance(noise, dict) and set(noise) == {"sentences"} and not values.get("appeals"):
            return {**values, "noise": {**noise, "correction": "off"}}
        return values

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        noise, appeals = self.noise, self.appeals
        if noise is None:
            return self
        if noise.correction == "appealed" and (appeals is None or appeals.q == 0):
            raise ValueError("noise.correction: appealed needs a section appeals with q > 0")
        if noise.correction == "appealed" and appeals is not None and appeals.flip:
            raise ValueError("noise.correction: appealed weighs decisions itself; set appeals.flip: false")
        known = noise.rates is not None or noise.false_negative is not None or (appeals and appeals.estimate)
        if noise.correction in ("backward", "forward") and not known:
            raise ValueError("noise needs rates: false_negative (and false_positive), a rates file, or appeals")
        if noise.correction != "off" and "scale" in self.advantage.model_fields_set and self.advantage.scale != "none":
            raise ValueError(
                f"advantage.scale: {self.advantage.scale} would undo the correction of noise; set it to none "
                "(noise.scale sets the scale)"
            )
        return self
