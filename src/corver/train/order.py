"""The order in which prompts are trained on, as a function of the epoch.

In: TRL's own sampler and a seed. Out: a sampler that the trainer tells its epoch. This module knows no prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch.utils.data import Sampler

__all__ = ["EpochSampler"]


class EpochSampler(Sampler[int]):
    """TRL's order of prompts as a function of the epoch, so that a run taken up in a later epoch sees what an unbroken
    one sees; TRL's own sampler begins again with the order of the first epoch."""

    def __init__(self, order: Any, *, seed: int) -> None:
        self._order = order
        self._seed = seed

    def set_epoch(self, epoch: int) -> None:
        """Called by the trainer at the start of each epoch."""
        generator = getattr(self._order, "generator", None)  # none where the prompts are not shuffled
        if generator is not None:
            generator.manual_seed(self._seed + epoch)

    def __iter__(self) -> Iterator[int]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)
