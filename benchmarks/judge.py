"""How well the judge's rules agree with people, and what it takes to fool them.

    .venv/bin/python benchmarks/judge.py JUDGED.jsonl [QUESTIONS …]

JUDGED holds `question`, `answers`, and predictions that equal none of the answers but that people judged:
`judged_correct`, `judged_incorrect`. Its questions are parted in two halves by a hash; `lenient` was tuned on the
examples of the half `tune` alone. Tables: right answers that a rule rejects and wrong ones that it accepts, with Wilson
intervals; the same of `lenient` by the kind of answer; and, over the QUESTIONS files, probes: another question's answer
of the same kind, the right answer in a list of three guesses, denied, behind a refusal, and the gold answers
themselves; and judgements a second.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from common import print_table

from corver.evaluate.questions import Question, read_questions
from corver.evaluate.stats import wilson
from corver.text.answers import MatchRule, grade
from corver.text.answers.asking import read_question
from corver.text.answers.reading import gold_variants, read_answer
from corver.text.answers.wordforms import related

RULES: tuple[MatchRule, ...] = ("lenient", "words", "paper")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judged", type=Path)
    parser.add_argument("questions", type=Path, nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.judged.read_text(encoding="utf-8").splitlines()]
    agreement(rows)
    disagreements([row for row in rows if half(row["question"]) == "tune"], "tune")
    disagreements([row for row in rows if half(row["question"]) == "report"], "report")
    if arguments.questions:
        speed(arguments.questions, random.Random(arguments.seed))  # first, before anything is remembered
        probes(arguments.questions, random.Random(arguments.seed))


def half(question: str) -> str:
    return "report" if hashlib.sha256(question.encode()).digest()[0] % 2 else "tune"


def agreement(rows: Sequence[dict[str, Any]]) -> None:
    table = []
    for part in ("tune", "report", "both"):
        chosen = [row for row in rows if part in ("both", half(row["question"]))]
        for rule in RULES:
            rejected, right = count(chosen, "judged_correct", rule, accepted=False)
            accepted, wrong = count(chosen, "judged_incorrect", rule, accepted=True)
            table.append((part, rule, share(rejected, right), share(accepted, wrong)))
    print_table("Against people's verdicts", ("half", "rule", "right, rejected", "wrong, accepted"), table)


def count(rows: Sequence[dict[str, Any]], verdict: str, rule: MatchRule, *, accepted: bool) -> tuple[int, int]:
    labels = [label == "correct" for _, _, label in judged(rows, verdict, rule)]
    return sum(found == accepted for found in labels), len(labels)


def judged(rows: Sequence[dict[str, Any]], verdict: str, rule: MatchRule) -> Iterator[tuple[dict[str, Any], str, str]]:
    for row in rows:
        for prediction in row[verdict]:
            yield row, prediction, grade(prediction, row["answers"], rule=rule, question=row["question"])


def disagreements(rows: Sequence[dict[str, Any]], part: str) -> None:
    """By the kind of answer that is accepted, and of the rejected ones how many share a word with it at all."""
    rejected: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    accepted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row, prediction, label in judged(rows, "judged_correct", "lenient"):
        cell = rejected[kind(row)]
        cell[1] += 1
        if label != "correct":
            cell[0] += 1
            cell[2] += not in_common(prediction, row["answers"])
    for row, _, label in judged(rows, "judged_incorrect", "lenient"):
        cell = accepted[kind(row)]
        cell[1] += 1
        cell[0] += label == "correct"
    table = [
        (
            name,
            f"{rejected[name][0]} of {rejected[name][1]}",
            rejected[name][2],
            f"{accepted[name][0]} of {accepted[name][1]}",
        )
        for name in sorted({*rejected, *accepted})
    ]
    sums = [sum(cell[at] for cell in rejected.values()) for at in range(3)]
    table.append(
        (
            "all",
            f"{sums[0]} of {sums[1]}",
            sums[2],
            f"{sum(c[0] for c in accepted.values())} of {sum(c[1] for c in accepted.values())}",
        )
    )
    head = ("accepted answer is", "right, rejected", "of these, no word in common", "wrong, accepted")
    print_table(f"lenient on the half {part}, by kind", head, table)


def kind(row: dict[str, Any]) -> str:
    first = gold_variants(row["answers"][0])
    asked = read_question(row["question"]).asked
    if first and first[0].date_only:
        return "a date"
    if first and first[0].quantity:
        return "a number"
    return {"who": "for who", "where": "for where"}.get(asked, "other")


def in_common(prediction: str, golds: Sequence[str]) -> bool:
    """Whether a content word of the prediction is one, in any form, of a gold answer."""
    said = read_answer(prediction).words
    return any(related(one, other) for gold in golds for v in gold_variants(gold) for one in said for other in v.words)


def probes(paths: Sequence[Path], rng: random.Random) -> None:
    table = []
    for path in paths:
        questions = read_questions(path)
        for name, cases in (
            ("another answer of its kind", list(swapped(questions, rng))),
            ("three guesses, one right", list(guesses(questions, rng))),
            ("denied", [(f"not {question.answers[0]}", question) for question in questions]),
            ("gold answers, rejected", [(answer, question) for question in questions for answer in question.answers]),
        ):
            cells = []
            for rule in RULES:
                labels = [
                    grade(said, question.answers, rule=rule, question=question.question) for said, question in cases
                ]
                hits = sum(label == "correct" for label in labels)
                number = len(cases) - hits if name.startswith("gold") else hits
                cells.append(f"{100 * number / max(len(cases), 1):.2f} %")
            table.append((path.name, name, len(cases), *cells))
    print_table("Probes: taken for right (gold answers: for wrong)", ("questions", "probe", "cases", *RULES), table)


def swapped(questions: Sequence[Question], rng: random.Random) -> Iterator[tuple[str, Question]]:
    """Answers of other questions that begin with the same two words, where the two share no answer."""
    alike = defaultdict(list)
    for question in questions:
        alike[" ".join(question.question.lower().split()[:2])].append(question)
    for question in questions:
        other = rng.choice(alike[" ".join(question.question.lower().split()[:2])])
        if not {a.casefold() for a in other.answers} & {a.casefold() for a in question.answers}:
            yield rng.choice(other.answers), question


def guesses(questions: Sequence[Question], rng: random.Random) -> Iterator[tuple[str, Question]]:
    for said, question in swapped(questions, rng):
        three = [said, rng.choice(questions).answers[0], question.answers[0]]
        rng.shuffle(three)
        yield ", ".join(three), question


def speed(paths: Sequence[Path], rng: random.Random) -> None:
    """New answers to known questions, as in training, and questions seen for the first time."""
    table = []
    for path in paths:
        questions = read_questions(path)[:2000]
        others = [rng.choice(rng.choice(questions).answers) for _ in questions]
        for name, suffix in (("first time", ""), ("known questions, new answers", " indeed"), ("all known", " indeed")):
            began = time.process_time()
            for question, other in zip(questions, others, strict=True):
                grade(other + suffix, question.answers, rule="lenient", question=question.question)
            table.append((path.name, name, f"{len(questions) / (time.process_time() - began):,.0f}"))
    print_table("lenient, judgements a second of one core's time", ("questions", "case", "a second"), table)


def share(number: int, total: int) -> str:
    found = wilson(number, total)
    return f"{number} of {total}: {100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


if __name__ == "__main__":
    main()
