"""The golden table of the judge: what counts as the same answer, by category."""

from __future__ import annotations

from pathlib import Path

import pytest

from corver.text.answers import grade

TABLE = Path(__file__).with_name("answers.txt")


def cases() -> list[tuple[str, str, tuple[str, ...], str, str]]:
    rows = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            category, question, golds, answer, label = (part.strip() for part in line.split(" |"))
            rows.append((category, question, tuple(golds.split(" ;; ")), answer.replace("\\n", "\n"), label))
    return rows


CASES = cases()


def test_the_table_is_large_and_has_both_labels_in_most_categories() -> None:
    labels: dict[str, set[str]] = {}
    for category, _, _, _, label in CASES:
        labels.setdefault(category, set()).add(label)
    assert len(CASES) >= 200
    assert len(labels) >= 11
    assert sum(found >= {"correct", "wrong"} for found in labels.values()) >= 9


@pytest.mark.parametrize(("category", "question", "golds", "answer", "label"), CASES)
def test_label(category: str, question: str, golds: tuple[str, ...], answer: str, label: str) -> None:
    assert grade(answer, golds, rule="lenient", question=question or None) == label


@pytest.mark.parametrize(("category", "question", "golds"), sorted({case[:3] for case in CASES}))
def test_gold_answers_are_right(category: str, question: str, golds: tuple[str, ...]) -> None:
    for gold in golds:
        assert grade(gold, golds, rule="lenient", question=question or None) == "correct"
