"""Runs of reinforcement learning, computed side by side: arms and seeds in, their curves out.

Sampled policy gradient with groups (the first step of GRPO: one update a batch, so that no ratio is ever clipped). All
credit comes from corver: `corver.credit.noise`, `corver.credit.appeals`, and `corver.credit.advantage` for z-scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from policy import Adam, Weights, answer_logps, evaluate, sample, trainable
from task import Problems, in_words_format, is_right, judge_says, noisy_verdicts

from corver.credit.advantage import AdvantageRule, response_advantage
from corver.credit.appeals import (
    AppealPlan,
    RateEstimator,
    appealed_reward,
    apply_flips,
    draw_appeals,
    rates_after_flips,
)
from corver.credit.noise import NoiseRates, judge_advantage, leave_one_out, value_advantage

SCALE = 0.5
"""The fixed scale of an advantage: the standard deviation of a fair coin."""


@dataclass(frozen=True)
class Arm:
    """What a run is paid by and how it takes it.

    reward: `oracle` the exact checker, `noisy` the verifier that errs by (rho0, rho1), `judge` the lenient judge alone.
    rho1_words: ρ1 of answers in words, if it is another. advantage: `zscore` is GRPO's own; `none`, `backward` and
    `forward` are corver's with a leave-one-out baseline and a fixed scale (`none`: the matched control); `appealed`
    weighs the appealed completions up; `posterior` weighs every group by what its verdicts can tell. assumed: the
    rates the correction believes in, by default the true ones. by_format: it knows the rates of each format. q: share
    of rejected answers that are appealed to the judge (q_accepted: of accepted ones), which
    accepts a wrong answer with the right last digit with
    probability `lenient` (None: the exact checker judges). estimate: take ρ1 from the appeals. flip: appealed verdicts
    become the judge's. known_judge: its own error rates are known.
    """

    name: str
    reward: str = "noisy"
    advantage: str = "zscore"
    rho0: float = 0.0
    rho1: float = 0.0
    rho1_words: float | None = None
    assumed: tuple[float, float] | None = None
    by_format: bool = False
    q: float = 0.0
    q_accepted: float = 0.0
    lenient: float | None = None
    estimate: bool = False
    flip: bool = False
    known_judge: bool = False
    prior: tuple[float, float] = (1e-5, 1e-5)
    decay: float = 0.9
    average: str = "counts"


@dataclass(frozen=True)
class Settings:
    """Size of a run. rate: of Adam."""

    steps: int = 200
    prompts: int = 16
    generations: int = 8
    rate: float = 3e-4
    every: int = 20


def run(
    arms: list[Arm], base: Weights, train: Problems, held_out: Problems, *, seeds: list[int], settings: Settings
) -> list[dict[str, Any]]:
    """Train one model an arm and seed from its base (stacked); the curves of held-out Pass@1, Pass@8 and format.

    Model m draws prompts, answers and noise from generators of its own seed alone.
    """
    models = range(len(arms))
    weights = trainable(base)
    optimizer = Adam(weights, rate=settings.rate)
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]
    rngs = [np.random.default_rng([seed, 1]) for seed in seeds]
    credit_M = [Credit(arm, seed=seed) for arm, seed in zip(arms, seeds, strict=True)]
    group = np.repeat(np.arange(settings.prompts), settings.generations)
    curves: list[list[dict[str, float]]] = [[{"step": 0, **row}] for row in evaluate(weights, held_out)]
    for step in range(settings.steps):
        problems = [train.pick(rng.integers(0, len(train), settings.prompts)) for rng in rngs]
        prompts = torch.from_numpy(np.stack([one.prompt_QT for one in problems]))
        answers = sample(weights, prompts, settings.generations, generators)
        rows = [credit_M[m](problems[m].pick(group), answers[m].numpy(), group, step) for m in models]
        advantages = torch.from_numpy(np.stack(rows)).float()
        logps, mask = answer_logps(weights, prompts, answers)
        optimizer.step(-(advantages[..., None] * logps * mask).sum() / len(group))
        if (step + 1) % settings.every == 0:
            for m, row in enumerate(evaluate(weights, held_out)):
                curves[m].append({"step": step + 1, **row, **credit_M[m].report()})
    return [{"curve": curves[m], "appeals": credit_M[m].appeals, "flips": credit_M[m].flips} for m in models]


class Credit:
    """Answers to advantages, by the rules of one arm."""

    def __init__(self, arm: Arm, *, seed: int) -> None:
        self.arm, self.seed, self.rng = arm, seed, np.random.default_rng([seed, 2])
        self.appeals = self.flips = 0
        rho0, rho1 = arm.assumed or (arm.rho0, arm.rho1)
        self.judge_rates = NoiseRates(0.1, 0.05) if arm.known_judge else NoiseRates(0.0, 0.0)
        self.estimator = RateEstimator(
            NoiseRates(rho0, 0.0 if arm.estimate else rho1),
            decay=arm.decay,
            prior=arm.prior,
            average="ratio" if arm.average == "ratio" else "counts",
            judge=self.judge_rates,
            with_accepted=arm.q_accepted > 0 and arm.estimate,
        )

    def __call__(self, problems: Problems, answer_BT: np.ndarray, group_B: np.ndarray, step: int) -> np.ndarray:
        arm = self.arm
        right = is_right(problems, answer_BT)
        verdict = self._verdict(problems, answer_BT, right)
        rates = self._rates(answer_BT)
        value = None
        if arm.q:
            verdict, rates, value = self._appealed(problems, answer_BT, right, verdict, rates, step)
        if value is not None:
            return value_advantage(value, group_B, scale=SCALE)
        if arm.advantage == "posterior":
            return posterior_advantage(verdict, group_B, rates)
        if arm.advantage == "zscore":
            return response_advantage(verdict, group_B, rule=AdvantageRule(std_floor=None))
        return judge_advantage(verdict, group_B, correction=arm.advantage, rates=rates, scale=SCALE)

    def report(self) -> dict[str, float]:
        if not (self.arm.q and self.arm.estimate):
            return {}
        estimate = self.estimator.false_negative
        return {"rho1": estimate.value, "rho1_low": estimate.low, "rho1_high": estimate.high}

    def _verdict(self, problems: Problems, answer_BT: np.ndarray, right: np.ndarray) -> np.ndarray:
        if self.arm.reward == "oracle":
            return right.astype(np.float64)
        if self.arm.reward == "judge":
            return judge_says(problems, answer_BT, lenient=self.arm.lenient or 0.0)
        rho1 = np.full(len(right), self.arm.rho1)
        if self.arm.rho1_words is not None:
            rho1[in_words_format(answer_BT)] = self.arm.rho1_words
        return noisy_verdicts(right, self.arm.rho0, rho1, self.rng)

    def _rates(self, answer_BT: np.ndarray) -> NoiseRates:
        arm = self.arm
        if arm.by_format and arm.rho1_words is not None:
            return NoiseRates(arm.rho0, np.where(in_words_format(answer_BT), arm.rho1_words, arm.rho1))
        return self.estimator.rates()

    def _appealed(
        self,
        problems: Problems,
        answer_BT: np.ndarray,
        right: np.ndarray,
        verdict: np.ndarray,
        rates: NoiseRates,
        step: int,
    ) -> tuple[np.ndarray, NoiseRates, np.ndarray | None]:
        arm = self.arm
        both = arm.advantage == "appealed"
        draw = draw_appeals(
            verdict, AppealPlan(q=arm.q, q_accepted=arm.q if both else arm.q_accepted), seed=self.seed, batch=step
        )
        says = right.astype(float) if arm.lenient is None else judge_says(problems, answer_BT, lenient=arm.lenient)
        decision = np.where(draw.chosen_B, says, np.nan)
        self.appeals += int(draw.chosen_B.sum())
        self.flips += int((draw.chosen_B & (says != verdict)).sum())
        if both:
            guess = self.estimator.right_given()
            self.estimator.update(verdict, decision, draw)
            return (
                verdict,
                rates,
                appealed_reward(verdict, decision, draw.inclusion_B, np.where(verdict == 1, guess[1], guess[0])),
            )
        self.estimator.update(verdict, decision, draw)
        if arm.estimate:
            rates = self.estimator.rates()
        if arm.flip:
            verdict = apply_flips(verdict, decision)
            rates = rates_after_flips(rates, rejected=arm.q, accepted=arm.q_accepted, judge=self.judge_rates)
        return verdict, rates, None


def posterior_advantage(verdict_B: np.ndarray, group_B: np.ndarray, rates: NoiseRates) -> np.ndarray:
    """P(right | own and the others' verdicts) − P(right | the others'), over the scale; tried, and no gain.

    The others' verdicts are drawn towards the batch by two verdicts. An odd verdict in a group that is nearly all right
    or wrong counts little, where a z-score makes it count most.
    """
    others = np.bincount(group_B)[group_B] - 1
    share = (leave_one_out(verdict_B, group_B) * others + 2 * verdict_B.mean()) / (others + 2)
    prior = np.clip((share - rates.false_positive) / rates.informedness, 0.01, 0.99)
    kept, slipped = 1 - np.asarray(rates.false_negative), np.asarray(rates.false_positive)
    accepted = prior * kept + (1 - prior) * slipped
    posterior = prior * np.where(verdict_B == 1, kept / accepted, (1 - kept) / (1 - accepted))
    return (posterior - prior) / SCALE
