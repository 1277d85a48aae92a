"""Pass@k: the chance that at least one of k samples is right, estimated from n samples a question.

In: how many of a question's n samples were right. Out: the unbiased estimate 1 − C(n−c, k)/C(n, k) (Chen et al. 2021,
arXiv 2107.03374) and its mean over questions with a bootstrap interval. Not 1 − (1 − c/n)^k, which is biased
downwards. This module knows no model and no text.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from corver.evaluate.stats import Estimate, rate_estimate

__all__ = ["default_ks", "mean_pass_at_k", "pass_at_k"]


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """The unbiased estimate for one question.

    Raises ValueError unless 0 <= correct <= samples and 1 <= k <= samples.
    """
    if not 0 <= correct <= samples or not 1 <= k <= samples:
        raise ValueError(f"no Pass@{k} from {correct} right of {samples} samples")
    # Exact integers: the quotient is 0 where fewer than k samples are wrong.
    return 1.0 - comb(samples - correct, k) / comb(samples, k)


def mean_pass_at_k(
    correct_Q: Sequence[int], samples: int, ks: Sequence[int], *, draws: int, seed: int
) -> dict[int, Estimate]:
    """Mean over Q questions for each k, with a bootstrap interval over questions."""
    one_Q = np.ones(len(correct_Q))
    return {
        k: rate_estimate(
            np.array([pass_at_k(samples, correct, k) for correct in correct_Q]), one_Q, draws=draws, seed=seed
        )
        for k in ks
    }


def default_ks(samples: int) -> tuple[int, ...]:
    """1, 2, 4, 8 … and the number of samples itself."""
    return tuple(sorted({2**power for power in range(samples.bit_length()) if 2**power <= samples} | {samples}))
