"""Sums and differences in words: problems, their two right spellings, and verifiers that err.

In: nothing but a seed. Out: problems as ids, an exact checker, and noisy verdicts. An answer is right if it is the
number in digits ("2 1") or in words ("twenty one"); which of the two a completion uses is its format. Knows no model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS = ["<pad>", "<end>", "=", "plus", "minus", *[str(digit) for digit in range(10)], *SMALL, *TENS]
ID = {word: number for number, word in enumerate(WORDS)}
PAD, END = ID["<pad>"], ID["<end>"]
PROMPT, ANSWER, LIMIT = 6, 3, 100
"""Tokens of a prompt (padded on the left) and of an answer with its end."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def in_words(number: int) -> list[str]:
    if number < 20:
        return [SMALL[number]]
    return [TENS[number // 10 - 2]] + ([SMALL[number % 10]] if number % 10 else [])


def in_digits(number: int) -> list[str]:
    return list(str(number))


def answer_ids(number: int, *, words: bool) -> list[int]:
    """The ids of one spelling, ended and padded to ANSWER."""
    ids = [ID[word] for word in (in_words(number) if words else in_digits(number))] + [END]
    return ids + [PAD] * (ANSWER - len(ids))


@dataclass(frozen=True)
class Problems:
    """Q problems: prompt_QT, the number that is right, and its spellings in digits and in words."""

    prompt_QT: Ints
    number_Q: Ints
    digits_QT: Ints
    words_QT: Ints

    def __len__(self) -> int:
        return len(self.number_Q)

    def pick(self, where: Ints) -> Problems:
        return Problems(self.prompt_QT[where], self.number_Q[where], self.digits_QT[where], self.words_QT[where])


def make_problems(seed: int = 0, *, held_out: int = 500) -> tuple[Problems, Problems]:
    """All sums and differences with numbers and results in 0 … 99, operands in words; shuffled and split."""
    rows = [(a, "plus", b, a + b) for a in range(LIMIT) for b in range(LIMIT - a)]
    rows += [(a, "minus", b, a - b) for a in range(LIMIT) for b in range(a + 1)]
    order = np.random.default_rng(seed).permutation(len(rows))
    prompts, numbers = [], []
    for a, sign, b, result in (rows[place] for place in order):
        ids = [ID[word] for word in [*in_words(a), sign, *in_words(b), "="]]
        prompts.append([PAD] * (PROMPT - len(ids)) + ids)
        numbers.append(result)
    table = Problems(
        np.array(prompts),
        np.array(numbers),
        np.array([answer_ids(number, words=False) for number in numbers]),
        np.array([answer_ids(number, words=True) for number in numbers]),
    )
    return table.pick(np.arange(held_out, len(rows))), table.pick(np.arange(held_out))


def is_right(problems: Problems, answer_BT: Ints) -> NDArray[np.bool_]:
    """The exact checker. Everything after the end is ignored."""
    after = np.cumsum(answer_BT == END, axis=1) - (answer_BT == END) > 0
    clean = np.where(after, PAD, answer_BT)
    digits, words = (clean == problems.digits_QT).all(axis=1), (clean == problems.words_QT).all(axis=1)
    return np.asarray(digits | words)


def in_words_format(answer_BT: Ints) -> NDArray[np.bool_]:
    """Whether an answer begins with a number word: its format."""
    return np.asarray(answer_BT[:, 0] >= ID["zero"])


def noisy_verdicts(right_B: NDArray[np.bool_], rho0: Floats | float, rho1: Floats | float, rng) -> Floats:
    """Verdicts of a verifier that errs by chance, anew each time it is asked."""
    accepted = np.where(right_B, 1 - np.asarray(rho1), rho0)
    return (rng.random(len(right_B)) < accepted).astype(np.float64)


def value_of(answer_BT: Ints) -> Ints:
    """The number that an answer spells, −1 if it spells none."""
    table = {tuple(answer_ids(n, words=w)): n for n in range(100) for w in (False, True)}
    after = np.cumsum(answer_BT == END, axis=1) - (answer_BT == END) > 0
    return np.array([table.get(tuple(row), -1) for row in np.where(after, PAD, answer_BT)])


def judge_says(problems: Problems, answer_BT: Ints, *, lenient: float, seed: int = 0) -> Floats:
    """A judge as language models are: its errors stick to the case and follow how an answer looks.

    It rejects a right answer in 1 of 20, accepts a wrong number whose last digit is right with probability `lenient`
    and any other wrong number in 1 of 20. The same question and answer always get the same verdict.
    """
    right, value = is_right(problems, answer_BT), value_of(answer_BT)
    # A hash of the case in place of a coin: multiplicative mixing, good to 2^-53.
    key = problems.prompt_QT @ np.array([3, 7, 61, 397, 2593, 16937]) + answer_BT @ np.array([110603, 722237, 4716293])
    coin = np.modf((key + 977.0 * seed) * 0.6180339887498949)[0]
    alike = (value % 10 == problems.number_Q % 10) & (value >= 0)
    accepted = np.where(right, 0.95, np.where(alike, lenient, np.where(value >= 0, 0.05, 0.0)))
    return (coin < accepted).astype(np.float64)
