"""Does P(true) rise with the score, and does it ever fall? Likelihood ratios with permutation p-values.

In: sentences and true sentences of ordered bins. Out: two tests of order-restricted inference (Robertson, Wright and
Dykstra, Order Restricted Statistical Inference, 1988, chapter 2; Bartholomew 1959):

- trend: all bins alike against a rate that never falls. Small p: the score tells something.
- departure: a rate that never falls against any rates. Small p: somewhere more evidence means less truth.

Both null distributions come from permuting the labels over the sentences. For the departure that is the least
favourable case of its null hypothesis, so its p-value errs on the safe side. The tests are conditional on the bins'
sizes, so a sample stratified by the bins is no obstacle; weights are not used. This module knows no scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corver.calibrate.columns import Floats, Integers

__all__ = ["Monotonicity", "monotonicity"]

_SLACK = 1e-9
"""Two statistics that differ by rounding alone are equal."""


@dataclass(frozen=True, slots=True)
class Monotonicity:
    """Two likelihood-ratio statistics with their p-values, and the monotone fit.

    isotonic: P(true) of each bin when it may not fall, None for an empty bin. reason: why there is no test, or None.
    """

    trend: float
    trend_p: float
    departure: float
    departure_p: float
    isotonic: tuple[float | None, ...]
    permutations: int
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        if self.reason is not None:
            return {"reason": self.reason, "isotonic": list(self.isotonic)}
        return {
            "trend": {"statistic": self.trend, "p": self.trend_p},
            "departure": {"statistic": self.departure, "p": self.departure_p},
            "isotonic": list(self.isotonic),
            "permutations": self.permutations,
        }


def monotonicity(
    size_K: Sequence[int], true_K: Sequence[int], *, permutations: int = 2000, seed: int = 0
) -> Monotonicity:
    """Both tests on K bins in rising order of the score. p is (1 + as extreme) / (1 + permutations)."""
    sizes, trues = np.asarray(size_K, dtype=np.int64), np.asarray(true_K, dtype=np.int64)
    filled = sizes > 0
    n, k = sizes[filled], trues[filled]
    fit = _isotonic(k, n) if n.size else np.empty(0)
    known = iter(fit.tolist())
    isotonic = tuple(next(known) if here else None for here in filled)
    reason = _untestable(n, k)
    if reason is not None:
        nothing = math.nan
        return Monotonicity(nothing, nothing, nothing, nothing, isotonic, 0, reason)
    trend, departure = _statistics(k, n)
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(n, int(k.sum()), size=permutations)
    null = np.array([_statistics(row, n) for row in drawn])
    extreme = (null >= np.array([trend, departure]) - _SLACK).sum(axis=0)
    p = (1 + extreme) / (1 + permutations)
    return Monotonicity(trend, float(p[0]), departure, float(p[1]), isotonic, permutations)


def _untestable(n: Integers, k: Integers) -> str | None:
    if n.size < 2:
        return "all sentences are in one bin"
    if k.sum() == n.sum() or not k.sum():
        return f"all labels are {'true' if k.sum() else 'false'}"
    return None


def _statistics(k: Integers, n: Integers) -> tuple[float, float]:
    """2·(log-likelihood of the isotonic fit − of one rate), and 2·(of free rates − of the isotonic fit)."""
    isotonic = _log_likelihood(k, n, _isotonic(k, n))
    one = _log_likelihood(k, n, np.full(n.size, k.sum() / n.sum()))
    return max(0.0, 2 * (isotonic - one)), max(0.0, 2 * (_log_likelihood(k, n, k / n) - isotonic))


def _isotonic(k: Integers, n: Integers) -> Floats:
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(k / n, weights=n.astype(np.float64)).x, dtype=np.float64)


def _log_likelihood(k: Integers, n: Integers, rate: Floats) -> float:
    """Σ k ln p + (n − k) ln(1 − p), with 0 ln 0 = 0."""
    from scipy.special import xlog1py, xlogy

    return float((xlogy(k, rate) + xlog1py(n - k, -np.minimum(rate, 1.0))).sum())
