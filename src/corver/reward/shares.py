"""From the scores of a sentence's units to its reward: additive and bounded, so that dropping a detail does not pay.

In: unit scores and weights. Out: each unit's share and their sum, the reward, in [−1, 1]. A mean or a minimum of units
would pay for leaving the worst one out; in a sum, what is supported adds and filler adds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corver.errors import ConfigError

__all__ = ["RewardScale"]


@dataclass(frozen=True, slots=True)
class RewardScale:
    """The map from unit scores to shares.

    neutral: Z, the score that is worth nothing, the median of the first policy's units. slack: how far below Z a unit
    begins to cost; in between, evidence is too thin to make leaving the detail out worth it. spread: score above Z at
    which a unit's gain is full. full: weight of fully supported units that makes a reward of 1. penalty: factor of
    units that cost.
    """

    neutral: float
    slack: float = 1.0
    spread: float = 3.0
    full: float = 6.0
    penalty: float = 0.5

    def __post_init__(self) -> None:
        if not (self.spread > 0 and self.full > 0 and self.slack >= 0 and 0 <= self.penalty <= 1):
            raise ConfigError("spread and full must be above 0, slack 0 or more, and penalty between 0 and 1")

    def gain(self, score: float, chance: float) -> float:
        """clip((s − max(Z, chance)) / spread, 0, 1) above Z, penalty · clip((s − Z + slack) / spread, −1, 0) below.

        chance: the score of a unit that stands near the subject as often as anywhere. A frequent word reaches Z by
        chance alone; it must not be credited for that, or padding would pay. Between Z and chance it is worth nothing.
        """
        if score <= self.neutral:
            return self.penalty * min(0.0, max(-1.0, (score - self.neutral + self.slack) / self.spread))
        return min(1.0, max(0.0, score - max(self.neutral, chance)) / self.spread)

    def shares(self, scores: Sequence[float], weights: Sequence[float], chances: Sequence[float]) -> list[float]:
        """w·g / full of each unit, scaled down together where their sum would leave [−1, 1]."""
        shares = [
            weight * self.gain(score, chance) / self.full
            for score, weight, chance in zip(scores, weights, chances, strict=True)
        ]
        total = abs(sum(shares))
        return [share / total for share in shares] if total > 1 else shares
