"""Word problems with sums and differences, made here: questions, right answers, and completions to fit a model to.

In: a seed. Out: JSON Lines with `question` and `answers`. Answers are numbers in digits; that a right completion may
say the same in words is what a rule-based checker does not see.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

NAMES = ["Anna", "Ben", "Carla", "David", "Emma", "Felix"]
THINGS = ["apples", "books", "coins", "stamps"]
SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
TENS = "twenty thirty forty fifty"
MOST = 30


def in_words(number: int) -> str:
    """A number below sixty in words."""
    if number < 20:
        return SMALL.split()[number]
    ten, one = divmod(number, 10)
    return TENS.split()[ten - 2] + (f" {SMALL.split()[one]}" if one else "")


def make_rows(seed: int = 0) -> list[dict[str, object]]:
    """Every pair of numbers once a sign, with a name and a thing drawn for it."""
    draw = random.Random(seed)
    rows: list[dict[str, object]] = []
    for first in range(MOST):
        for second in range(MOST):
            name, thing = draw.choice(NAMES), draw.choice(THINGS)
            gets = f"{name} has {first} {thing} and gets {second} more . How many {thing} are there now ?"
            rows.append({"question": gets, "answers": [str(first + second)], "thought": f"{first} plus {second}"})
            if second <= first:
                gives = f"{name} has {first} {thing} and gives away {second} . How many {thing} are left ?"
                rows.append({"question": gives, "answers": [str(first - second)], "thought": f"{first} minus {second}"})
    draw.shuffle(rows)
    return rows


def completion(row: dict[str, object], *, words: bool) -> str:
    """A right completion in either spelling."""
    (answer,) = row["answers"]  # type: ignore[misc]
    said = in_words(int(answer)) if words else answer
    return f"<think> {row['thought']} </think> <answer> {said} </answer>"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--held-out", type=int, default=100)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    rows = make_rows()
    for name, part in (("heldout", rows[: options.held_out]), ("train", rows[options.held_out :])):
        kept = [{"question": row["question"], "answers": row["answers"]} for row in part]
        (options.output / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))


if __name__ == "__main__":
    main()
