"""Questions with gold answers, in the schemas that question sets are published in.

In: a file of JSON Lines, JSON, CSV, TSV or parquet. Out: Question objects. Each row is told by its fields:

    corver's own      question, answers (or answer); optionally id and split
    NQ-Open           question, answer (a list)
    WebQuestions      question, answers; or utterance, targetValue
    TriviaQA          question, answer {value, aliases}; or Question, QuestionId, Answer {Value, Aliases}
    PopQA             question, possible_answers (a JSON list), id, s_pop
    SimpleQA          problem, answer
    TruthfulQA        Question, Best Answer, Correct Answers (parted by "; "); or question, best_answer, correct_answers

This module knows no model and no grading.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corver.errors import InputError
from corver.evaluate.rows import read_rows

__all__ = ["QUESTION_FIELDS", "Question", "draw_questions", "parse_question", "read_questions"]

_ASKED = ("question", "problem", "Question", "utterance")
_ANSWERS = ("answers", "possible_answers", "answer", "Answer", "correct_answers", "Correct Answers")
_IDS = ("id", "question_id", "QuestionId")
QUESTION_FIELDS = (*_ASKED, *_ANSWERS, *_IDS, "split", "s_pop", "best_answer", "Best Answer", "targetValue")
"""All fields that a question is read from."""

_DESCRIPTION = re.compile(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^()]*))\)')


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the answers that count as right.

    id: the file's own, else a hash of the question. popularity: of its subject, where the file tells it (PopQA's
    `s_pop`, Wikipedia page views a month).
    """

    id: str
    question: str
    answers: tuple[str, ...]
    popularity: float | None = None


def read_questions(path: Path, *, split: str | None = None, limit: int | None = None) -> list[Question]:
    """All questions of a file, or those of one split, in file order.

    A question without an id that stands there more than once (PopQA has many subjects of one name) gets a number
    behind its hash. limit: keep so many, drawn by the hash of their ids: the same draw every time, and not the first
    topic of a sorted file. Raises InputError naming the file and line of the first row that is not a question, for an
    id that is repeated, or if nothing is left.
    """
    questions: dict[str, Question] = {}
    made: dict[str, int] = {}
    for where, row in read_rows(path):
        if split is not None and row.get("split") != split:
            continue
        question, own_id = parse_question(where, row)
        if not own_id:
            made[question.id] = made.get(question.id, 0) + 1
            if made[question.id] > 1:
                question = _renamed(question, f"{question.id}-{made[question.id]}")
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


def _renamed(question: Question, name: str) -> Question:
    return Question(name, question.question, question.answers, question.popularity)


def parse_question(where: str, row: dict[str, Any]) -> tuple[Question, bool]:
    """The question of a row, and whether its id is the file's own. Raises InputError that begins with `where`."""
    asked = next((row[name] for name in _ASKED if name in row), None)
    if asked is not None and not isinstance(asked, str):
        raise InputError(f"{where}: its question is no text ({type(asked).__name__})")
    if asked is None or not asked.strip():
        raise InputError(f"{where}: has no question")
    answers = _answers(where, row)
    if not any(item.strip() for item in answers):
        raise InputError(f"{where}: has no answer to judge by")
    number = next((row[name] for name in _IDS if row.get(name) is not None), None)
    try:
        name = str(number) if number is not None else hashlib.sha256(asked.encode()).hexdigest()[:12]
        "".join((name, asked, *answers)).encode()
    except UnicodeEncodeError:
        raise InputError(f"{where}: holds half a surrogate pair, which is not text") from None
    return Question(name, asked, tuple(answers), _popularity(where, row)), number is not None


def _answers(where: str, row: dict[str, Any]) -> list[str]:
    """The accepted answers of a row, each once."""
    found = next((row[name] for name in _ANSWERS if row.get(name) is not None), None)
    if isinstance(found, dict):
        value = found.get("value", found.get("Value"))
        aliases = found.get("aliases", found.get("Aliases")) or []
        found = [value, *aliases] if isinstance(aliases, list) else None
    elif isinstance(found, str) and ("possible_answers" in row or found.startswith('["')):
        found = _listed(where, found)
    elif isinstance(found, str) and "Correct Answers" in row:
        found = [part.strip() for part in found.split(";")]
    elif found is None and isinstance(row.get("targetValue"), str):
        found = [_unquoted(*match.groups()) for match in _DESCRIPTION.finditer(row["targetValue"])]
    elif isinstance(found, str):
        found = [found]
    best = row.get("best_answer", row.get("Best Answer"))
    if isinstance(found, list) and isinstance(best, str):
        found = [best, *found]
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise InputError(f"{where}: answers must be a list of strings")
    return list(dict.fromkeys(found))


def _listed(where: str, text: str) -> Any:
    """The JSON list in a cell."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: its answers are not JSON: {error}") from None


def _unquoted(quoted: str | None, bare: str | None) -> str:
    return re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (bare or "").strip()


def _popularity(where: str, row: dict[str, Any]) -> float | None:
    value = row.get("s_pop")
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: s_pop must be a number") from None
    if math.isinf(number):
        raise InputError(f"{where}: s_pop must be finite")
    return None if math.isnan(number) else number  # NaN is how tables write that a number is missing
