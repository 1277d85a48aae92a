"""Pass@k against its definition: the mean over all ways to draw k of n samples."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corver.evaluate.passk import default_ks, mean_pass_at_k, pass_at_k


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_it_is_the_mean_over_all_draws(case: tuple[int, int, int]) -> None:
    samples, correct, k = case
    drawn = list(combinations([True] * correct + [False] * (samples - correct), k))
    assert pass_at_k(samples, correct, k) == pytest.approx(sum(map(any, drawn)) / len(drawn), abs=1e-12)


def test_values_of_the_formula() -> None:
    assert pass_at_k(16, 0, 8) == 0.0
    assert pass_at_k(16, 9, 8) == 1.0
    assert pass_at_k(16, 4, 1) == 0.25
    assert pass_at_k(4, 1, 2) == 0.5
    assert pass_at_k(1000, 1, 500) == 0.5
    # The plug-in estimate 1 − (1 − c/n)^k would be smaller.
    assert pass_at_k(4, 1, 2) > 1 - (1 - 1 / 4) ** 2


@pytest.mark.parametrize(("samples", "correct", "k"), [(4, 5, 1), (4, -1, 1), (4, 1, 0), (4, 1, 5)])
def test_what_makes_no_sense_is_refused(samples: int, correct: int, k: int) -> None:
    with pytest.raises(ValueError, match="no Pass@"):
        pass_at_k(samples, correct, k)


def test_the_mean_has_an_interval_over_questions() -> None:
    found = mean_pass_at_k([0, 2, 4, 4], 4, (1, 4), draws=500, seed=1)
    assert found[1].value == pytest.approx(10 / 16)
    assert found[4].value == pytest.approx(0.75)
    assert found[1].low < 10 / 16 < found[1].high
    assert mean_pass_at_k([0, 2, 4, 4], 4, (1, 4), draws=500, seed=1) == found


def test_the_usual_ks() -> None:
    assert [default_ks(n) for n in (1, 2, 8, 12)] == [(1,), (1, 2), (1, 2, 4, 8), (1, 2, 4, 8, 12)]
