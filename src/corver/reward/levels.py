"""Levels: from a count to a reward.

In: a count. Out: a level from 0 upwards and its reward. The constants are those of CorVer (arXiv 2605.29648): the
paper's table, and the one of the authors' later release. This module knows nothing of where a count comes from.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from corver.errors import ConfigError

__all__ = ["PAPER_LEVELS", "RELEASE_LEVELS", "Levels"]


@dataclass(frozen=True, slots=True)
class Levels:
    """Level i + 1 starts at thresholds[i]; rewards[i] belongs to level i; no_claim to a sentence without a pair.

    There is no reward for a failed look-up: it is NaN in arrays, whatever the levels.
    """

    thresholds: tuple[int, ...] = (1, 5, 20)
    rewards: tuple[float, ...] = (-0.3, -0.1, 0.0, 0.1)
    no_claim: float = 0.0

    def __post_init__(self) -> None:
        if len(self.rewards) != len(self.thresholds) + 1:
            raise ConfigError(
                f"{len(self.thresholds)} thresholds need {len(self.thresholds) + 1} rewards, not {len(self.rewards)}"
            )
        if not self.thresholds or list(self.thresholds) != sorted(set(self.thresholds)) or self.thresholds[0] < 1:
            raise ConfigError(f"thresholds must be positive and rise strictly, not {self.thresholds}")

    @property
    def cap(self) -> int:
        """The count from which on nothing changes any more."""
        return self.thresholds[-1]

    def level(self, count: int) -> int:
        """The level of a count."""
        return bisect_right(self.thresholds, count)


PAPER_LEVELS = Levels()
RELEASE_LEVELS = Levels(rewards=(-0.2, -0.1, 0.0, 0.1))
