"""Questions with gold answers: JSONL in, checked rows out.

In: a JSONL file with `question` and `answers` (or `answer`), optionally `id` and `split`. Out: Question objects. This
module knows no model and no grading.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corver.errors import InputError

__all__ = ["Question", "draw_questions", "read_questions"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the answers that count as right. id: the file's own, else a hash of the question."""

    id: str
    question: str
    answers: tuple[str, ...]


def read_questions(path: Path, *, split: str | None = None, limit: int | None = None) -> list[Question]:
    """All questions of a file, or those of one split, in file order.

    limit: keep so many, drawn by the hash of their ids: the same draw every time, and not the first topic of a sorted
    file. Raises InputError naming the file and line of the first row that is not a question, for a repeated id, or if
    nothing is left.
    """
    questions: dict[str, Question] = {}
    for where, row in _rows(path):
        if split is not None and row.get("split") != split:
            continue
        question = _question(where, row)
        if question.id in questions:
            raise InputError(f"{where}: question {question.id!r} stands twice in the file")
        questions[question.id] = question
    if not questions:
        of_split = f" of split {split!r}" if split is not None else ""
        raise InputError(f"{path}: holds no question{of_split}")
    return draw_questions(list(questions.values()), limit)


def draw_questions(questions: Sequence[Question], limit: int | None) -> list[Question]:
    """At most `limit` of the questions, drawn by the hash of their ids and kept in order; all of them without limit."""
    if limit is None or limit >= len(questions):
        return list(questions)
    drawn = set(sorted((question.id for question in questions), key=_draw)[:limit])
    return [question for question in questions if question.id in drawn]


def _draw(name: str) -> str:
    return hashlib.sha256(b"draw:" + name.encode()).hexdigest()


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                where = f"{path}:{number}"
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise InputError(f"{where}: is not JSON: {error}") from None
                if not isinstance(row, dict):
                    raise InputError(f"{where}: expected an object with question and answers")
                yield where, row
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _question(where: str, row: dict[str, Any]) -> Question:
    question = row.get("question")
    answers = row.get("answers", row.get("answer"))
    if not isinstance(question, str) or not question.strip():
        raise InputError(f"{where}: has no question")
    if isinstance(answers, str):
        answers = [answers]
    if not isinstance(answers, list) or not all(isinstance(item, str) for item in answers):
        raise InputError(f"{where}: answers must be a list of strings")
    if not any(item.strip() for item in answers):
        raise InputError(f"{where}: has no answer to judge by")
    number = row.get("id")
    try:
        name = str(number) if number is not None else hashlib.sha256(question.encode()).hexdigest()[:12]
        "".join((name, question, *answers)).encode()
    except UnicodeEncodeError:
        raise InputError(f"{where}: holds half a surrogate pair, which is not text") from None
    return Question(name, question, tuple(answers))
