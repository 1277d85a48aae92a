"""The arms: what differs between them, in the product's own settings, and the set-up that they share.

In: nothing. Out: `ARMS`, by name. Every arm is `full` with something changed. This module trains nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from corver.config import CreditConfig, RewardConfig

__all__ = ["ARMS", "SETUP", "Arm", "Group", "Setup", "arms_of"]

Group: TypeAlias = Literal["main", "support", "rules", "guards", "sweep"]


@dataclass(frozen=True, slots=True)
class Setup:
    """What all arms of the small world share; chosen on seed 0, which is not reported.

    answers: sampled answers to each held-out question when an arm is evaluated.
    """

    lambda_c: float = 4.0
    steps: int = 60
    prompts: int = 3
    generations: int = 16
    learning_rate: float = 2e-4
    max_tokens: int = 64
    temperature: float = 1.0
    zone_samples: int = 8
    answers: int = 4


SETUP = Setup()


@dataclass(frozen=True, slots=True)
class Arm:
    """reward, credit: changes to RewardConfig and CreditConfig. zone: train on the learning zone alone. rule: the
    instruction forbids repetition. seeds: how many worlds it is run on, from seed 1 on."""

    name: str
    group: Group
    about: str
    reward: Mapping[str, Any] = field(default_factory=dict)
    credit: Mapping[str, Any] = field(default_factory=dict)
    zone: bool = True
    rule: bool = True
    seeds: int = 5

    def reward_config(self, *, neutral: float | None = None) -> RewardConfig:
        """neutral: Z of profile support, measured on the raw policy."""
        profile = {} if neutral is None else {"profile": {"neutral": neutral}}
        return RewardConfig(**{"judge": {"rule": "words"}, **profile, **self.reward})

    def credit_config(self, setup: Setup = SETUP) -> CreditConfig:
        return CreditConfig(**{"lambda_c": setup.lambda_c, **self.credit})

    def fingerprint(self, setup: Setup = SETUP) -> str:
        """16 hex digits over what makes this arm, and the set-up."""
        parts = {
            "setup": asdict(setup),
            "reward": self.reward,
            "credit": self.credit,
            "zone": self.zone,
            "rule": self.rule,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


_PUBLISHED: Mapping[str, Any] = {"silence": "paper", "advantage": {"std_floor": None, "cap": None}}

_LIST = (
    Arm("full", "main", "sentence reward on its own tokens, judge, format, learning zone", seeds=6),
    Arm("a1", "main", "no sentence reward", credit={"lambda_c": 0.0}, seeds=6),
    Arm("a2", "main", "no judge", credit={"lambda_j": 0.0}, seeds=6),
    Arm("a3", "main", "same total, spread over the response", credit={"alignment": "response"}, seeds=6),
    Arm("a4", "main", "no learning zone", zone=False, seeds=6),
    Arm("full_lambda1", "main", "full with the published weight of sentences, 1", credit={"lambda_c": 1.0}, seeds=6),
    Arm("profile", "support", "full with profile support", reward={"support": "profile"}, seeds=6),
    Arm("min", "rules", "lowest count of all pairs of a sentence", reward={"rule": "min"}),
    Arm("relcheck", "rules", "relation's words counted too", reward={"rule": "relcheck"}),
    Arm("no_rule", "guards", "instruction without the rule against repetition", rule=False),
    Arm("no_guard", "guards", "a repeated claim is rewarded again", reward={"repetition_guard": False}),
    Arm("no_rule_no_guard", "guards", "neither of the two", reward={"repetition_guard": False}, rule=False),
    Arm("no_floor", "guards", "no bonus where claims fall", credit={"claim_floor": None}),
    Arm("silence_0", "guards", "silence is worth 0, as published", credit={"silence": "paper"}),
    Arm("published", "guards", "published rule: no guard of corver's; with the rule in the instruction",
        reward={"repetition_guard": False}, credit=_PUBLISHED),
    Arm("published_no_rule", "guards", "published rule without the rule in the instruction",
        reward={"repetition_guard": False}, credit=_PUBLISHED, rule=False),
    Arm("sentences_only", "guards", "neither judge nor format", credit={"lambda_j": 0.0, "lambda_f": 0.0}),
    Arm("sentences_only_no_floor", "guards", "neither judge nor format, no bonus where claims fall",
        credit={"lambda_j": 0.0, "lambda_f": 0.0, "claim_floor": None}),
    Arm("sentences_only_silence_first", "guards", "neither; silence is worth the first policy's mean claim",
        credit={"lambda_j": 0.0, "lambda_f": 0.0, "silence": "first_policy", "claim_floor": None}),
    Arm("sentences_only_silence_0", "guards", "neither judge nor format; silence is worth 0",
        credit={"lambda_j": 0.0, "lambda_f": 0.0, "silence": "paper"}),
    Arm("levels_release", "sweep", "levels −0.2, −0.1, 0, 0.1",
        reward={"levels": {"rewards": [-0.2, -0.1, 0.0, 0.1]}}, seeds=3),
    Arm("levels_even", "sweep", "levels −0.2, −0.07, 0.07, 0.2",
        reward={"levels": {"rewards": [-0.2, -0.07, 0.07, 0.2]}}, seeds=3),
    Arm("thresholds_low", "sweep", "thresholds 1, 2, 5", reward={"levels": {"thresholds": [1, 2, 5]}}, seeds=3),
    Arm("thresholds_high", "sweep", "thresholds 3, 15, 60", reward={"levels": {"thresholds": [3, 15, 60]}}, seeds=3),
    Arm("window_20", "sweep", "window 20 words", reward={"window": 20}, seeds=3),
    Arm("window_100", "sweep", "window 100 words", reward={"window": 100}, seeds=3),
)  # fmt: skip

ARMS: Mapping[str, Arm] = {arm.name: arm for arm in _LIST}


def arms_of(names: list[str] | None = None) -> list[Arm]:
    """The named arms, or all of them, in the order of the list. KeyError names one that does not exist."""
    if not names:
        return list(_LIST)
    for name in names:
        if name not in ARMS:
            raise KeyError(f"no arm {name!r}; there are {', '.join(ARMS)}")
    return [arm for arm in _LIST if arm.name in names]
