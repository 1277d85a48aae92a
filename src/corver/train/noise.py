"""What a configuration names about errors of judges, turned into numbers before a run begins.

In: a RunConfig that may name files of rates. Out: the same with their numbers in place of the names, so that the run's
own copy of its settings depends on no other file; and what appeals may cost at the most. This module trains nothing.
"""

from __future__ import annotations

from typing import get_args

from corver.calibrate.rates import SentenceRates
from corver.config import NoiseConfig, RunConfig
from corver.credit.levels import unbiased_levels
from corver.credit.noise import NoiseRates
from corver.errors import ConfigError
from corver.evaluate.verifier import VerifierRates
from corver.reward.judge import JudgeRule
from corver.train.appeals import largest_cost

__all__ = ["appeals_note", "rates_notes", "with_measured_noise"]


def with_measured_noise(config: RunConfig) -> RunConfig:
    """The configuration with the rates of `credit.noise.rates` and the levels of `credit.noise.sentences` filled in.

    Raises InputError for files that hold none, NoiseRatesError for rates that nothing can be corrected with, and
    ConfigError where rates and levels do not fit.
    """
    noise, reward = config.credit.noise, config.reward
    if noise is None:
        if config.credit.appeals is None:
            return config
        noise = NoiseConfig(correction="off")
    values = (reward.judge.wrong, reward.judge.correct)
    changes: dict[str, object] = {"values": noise.values or values, "rates": None, "sentences": None}
    if noise.rates is not None:
        rates = VerifierRates.load(noise.rates)
        NoiseRates(rates.false_positive.value, rates.false_negative.value)
        changes |= {"false_positive": rates.false_positive.value, "false_negative": rates.false_negative.value}
    if noise.sentences is not None:
        if reward.support == "profile":
            raise ConfigError("credit.noise.sentences: sets rewards of levels, and support profile has none")
        sentences = SentenceRates.load(noise.sentences)
        sentences.caution()  # refuses levels that say nothing
        levels = reward.levels.model_copy(update={"rewards": _level_rewards(config, sentences)})
        reward = reward.model_copy(update={"levels": levels})
    credit = config.credit.model_copy(update={"noise": noise.model_copy(update=changes)})
    return config.model_copy(update={"credit": credit, "reward": reward})


def rates_notes(config: RunConfig) -> list[str]:
    """What makes the rates in the files that a configuration names doubtful, a line each."""
    noise = config.credit.noise
    if noise is None:
        return []
    rates = None if noise.rates is None else VerifierRates.load(noise.rates)
    cautions = {
        "rates": None if rates is None else rates.caution(),
        "sentences": None if noise.sentences is None else SentenceRates.load(noise.sentences).caution(),
    }
    notes = [f"credit.noise.{name}: {caution}" for name, caution in cautions.items() if caution is not None]
    measured, rule = None if rates is None else rates.verifier, config.reward.judge.rule
    if noise.verifier == "judge" and measured in get_args(JudgeRule) and measured != rule:
        notes.append(f"credit.noise.rates: are those of the judge rule {measured}, and reward.judge.rule is {rule}")
    return notes


def appeals_note(config: RunConfig) -> str | None:
    """One line on what the appeals of a run may come to, None without any: calls, and the cost where prices are known.

    It takes every completion for a rejected one, so that the run can only be cheaper.
    """
    appeals, optimization = config.credit.appeals, config.optimization
    if appeals is None or appeals.judge != "endpoint" or appeals.endpoint is None:
        return None
    batch = optimization.prompts_per_step * optimization.generations
    expected = batch * max(appeals.q, appeals.q_accepted)
    a_batch = expected if appeals.budget is None else min(expected, appeals.budget)
    calls = round(a_batch * optimization.steps / optimization.iterations)
    note = f"appeals: up to about {calls} calls to {appeals.endpoint.model}"
    prices = (appeals.endpoint.input_price, appeals.endpoint.output_price)
    if prices[0] is None or prices[1] is None:
        return f"{note}, at prices that the configuration does not tell"
    cost = largest_cost(calls, input_price=prices[0], output_price=prices[1], prompt=appeals.prompt)
    return f"{note}, at most about {cost:.2f}; appeals end at max_cost {appeals.max_cost}"


def _level_rewards(config: RunConfig, rates: SentenceRates) -> tuple[float, ...]:
    levels = config.reward.levels
    found = {level.level: level for level in rates.levels}
    if sorted(found) != list(range(len(levels.rewards))):
        raise ConfigError(
            f"credit.noise.sentences: has rates of levels {sorted(found)}, reward.levels has {len(levels.rewards)} "
            "levels; label sentences of every level"
        )
    rows = [found[level] for level in range(len(levels.rewards))]
    rewards = unbiased_levels(
        [row.share for row in rows],
        [row.probability.value for row in rows],
        true=max(levels.rewards),
        false=min(levels.rewards),
    )
    return tuple(float(reward) for reward in rewards)
